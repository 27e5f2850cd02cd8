import { FileError, type Format, readInThread } from '@exam-practice/exchange'
import type { ImportFormat } from '../../../../schemas/exchange.schemas.ts'
import { AppError } from '../../../errors.ts'
import { isQuestionCsv, readCsvItems } from './csv-export.ts'
import { type ExchangeItem, toExchangeItem } from './exchange-mapping.ts'

export interface ExchangeFile {
  bytes: Uint8Array
  /** undefined: found by the content. */
  format: ImportFormat | undefined
}

/**
 * The items of a file with the format that it has, each as it is taken. Throws 400 or 413 if the file can't be read to
 * its end, `aborted` when `end` aborts. `file.bytes` can't be used afterwards.
 */
export async function* readFileItems(
  { bytes, format }: ExchangeFile,
  end: AbortSignal,
): AsyncGenerator<{ format: ImportFormat; item?: ExchangeItem }> {
  const known = format ?? (isQuestionCsv(bytes) ? 'csv' : undefined)
  if (known !== 'csv') yield* readInOwnThread(bytes, known, end)
  else {
    yield { format: known }
    for await (const item of readCsvItems(bytes)) {
      if (end.aborted) throw new AppError('aborted')
      yield { format: known, item }
    }
  }
}

async function* readInOwnThread(bytes: Uint8Array, given: Format | undefined, end: AbortSignal) {
  try {
    for await (const { format, items } of readInThread({ bytes, format: given }, end)) {
      yield { format }
      for (const item of items) yield { format, item: toExchangeItem(item) }
    }
  } catch (error) {
    if (end.aborted) throw new AppError('aborted', { cause: error })
    if (!(error instanceof FileError)) throw error
    const code = error.code === 'too_large' ? 'payload_too_large' : 'invalid_file'
    throw new AppError(code, { message: error.message, cause: error })
  }
}
