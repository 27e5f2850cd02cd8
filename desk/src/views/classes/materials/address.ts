import type { Answer } from '../../../client.ts'

export type Material = Answer<'/api/v01/classes/{id}/materials', 'get'>['materials'][number]

/** Where a browser shows a page of a material. */
export function addressOf({ type, url }: Pick<Material, 'type' | 'url'>, page: number): string {
  return type === 'pdf' ? `${url}#page=${page}` : url
}
