import { PassThrough, Readable } from 'node:stream'
import yazl from 'yazl'
import { imageTypeOf } from './image-types.ts'

export interface ZipFile {
  path: string
  /** Pieces are read as fast as the zip is. */
  content: Uint8Array | string | AsyncIterable<string>
}

/**
 * A zip of these files. Each file is requested only when the one before it has been read, so memory stays constant.
 * Closing the stream also ends the reading of the files.
 */
export function toZip(files: AsyncIterable<ZipFile>): Readable {
  const zip = new yazl.ZipFile()
  let stop = () => {}
  const output = new PassThrough({
    // It is closed when nothing reads `files` any more.
    destroy(error, callback) {
      stop()
      void written.then(() => callback(error))
    },
  })
  zip.outputStream.pipe(output)
  const write = async () => {
    for await (const { path, content } of files) {
      if (output.destroyed) return
      await new Promise<void>((resolve, reject) => {
        let source: Readable | undefined
        stop = () => (source ? source.destroy() : resolve())
        zip.addReadStreamLazy(path, { compress: imageTypeOf(path) === undefined }, (take) => {
          if (output.destroyed) return
          const isWhole = typeof content === 'string' || content instanceof Uint8Array
          source = Readable.from(isWhole ? [Buffer.from(content)] : content, { objectMode: false })
          source.once('error', reject).once('close', resolve)
          take(null, source)
        })
      })
    }
    zip.end()
  }
  const written = write().catch((error: Error) => {
    output.destroy(error)
  })
  return output
}
