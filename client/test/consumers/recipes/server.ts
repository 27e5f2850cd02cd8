import { equal } from 'node:assert/strict'
import { createClient } from '@exam-practice/client'
import { node } from '@exam-practice/client/node'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { fetchFromService } from './service.ts'

/** One client for each request; `cookie` is the browser's. */
async function render(cookie: string): Promise<string> {
  const fetch = (request: Request) => {
    request.headers.set('cookie', cookie)
    return fetchFromService(request)
  }
  const client = createClient({ baseUrl: 'http://service.test', platform: { ...node(), fetch } })
  const { data } = await client.GET('/api/v01/exams/{exam_id}', { params: { path: { exam_id: 7 } } })
  client.close()
  return renderToString(createElement('h1', null, data?.exam.name))
}

equal(await render('session=abc'), '<h1>Optics</h1>')
