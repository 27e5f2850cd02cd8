import path from 'node:path'

/** The accepted extensions of images, and the type that the content must have. */
export const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** Whether it is the type of an accepted image. */
export function isImageType(type: string): boolean {
  return Object.values(IMAGE_TYPES).includes(type)
}

/** The type of an image by its name; undefined for the name of anything else. */
export function imageTypeOf(name: string): string | undefined {
  return IMAGE_TYPES[path.extname(name).toLowerCase()]
}
