export interface FormFile {
  field: string
  name: string
  bytes: Uint8Array | string
  type?: string
}

/** A multipart form: the fields, then the files. */
export function form(fields: Record<string, string | number>, ...files: FormFile[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, String(value))
  for (const { field, name, bytes, type } of files)
    data.append(field, new Blob([bytes as Uint8Array<ArrayBuffer>], type ? { type } : {}), name)
  return data
}
