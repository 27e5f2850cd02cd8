import type { Client } from '../client.ts'

/** Answers the id of the notebook. */
export async function createNotebook(person: Client, fields: object = {}): Promise<number> {
  const { body } = await person.post('/api/v01/notebooks', { title: 'Notes', ...fields }, 201)
  return body.notebook.id
}

/** Answers the id of the page. */
export async function addPage(person: Client, notebookId: number): Promise<number> {
  const { body } = await person.post(`/api/v01/notebooks/${notebookId}/pages`, {}, 201)
  return body.page.id
}

export interface CanvasObject {
  id: string
  [field: string]: unknown
}

/** Everything on a page, in stacking order. */
export async function objectsOf(person: Client, pageId: number): Promise<CanvasObject[]> {
  const objects: CanvasObject[] = []
  for (;;) {
    const query = `start_index=${objects.length}&limit=500`
    const { body } = await person.get(`/api/v01/pages/${pageId}/objects?${query}`, 200)
    objects.push(...body.objects)
    if (objects.length >= body.total) return objects
  }
}
