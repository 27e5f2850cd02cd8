import type { Config } from '../settings/config.ts'
import type { Files } from './files.ts'
import { createDiskFiles } from './files-disk.ts'
import { createS3Files } from './files-s3.ts'

/** Where the settings say that files live. */
export function createFiles({ storage }: Pick<Config, 'storage'>): Files {
  return storage.kind === 's3' ? createS3Files(storage) : createDiskFiles(storage.folder)
}
