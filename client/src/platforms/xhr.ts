import { reasonOf } from '../http/request.ts'
/** XMLHttpRequest is the only way to see the progress of an upload in browsers and in React Native. */
export async function uploadByXhr(
  request: Request,
  tell: (sent: number, total: number | undefined) => void,
  form?: FormData,
): Promise<Response> {
  // React Native can't read a form from a request again.
  const body = form ?? (await request.blob())
  if (request.signal.aborted) throw reasonOf(request.signal)
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const stop = () => xhr.abort()
    xhr.open(request.method, request.url)
    // The platform writes a form's type anew, with the boundary between its parts.
    for (const [name, value] of request.headers)
      if (!form || name !== 'content-type') xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      tell(loaded, lengthComputable ? total : undefined)
    xhr.onload = () => {
      const headers = new Headers()
      for (const [, name = '', value = ''] of xhr.getAllResponseHeaders().matchAll(/^([\w-]+): (.*)$/gm))
        headers.append(name, value)
      resolve(new Response(xhr.responseText, { status: xhr.status, headers }))
    }
    xhr.onerror = () => reject(new TypeError('The upload failed'))
    xhr.onabort = () => reject(reasonOf(request.signal))
    xhr.onloadend = () => request.signal.removeEventListener('abort', stop)
    request.signal.addEventListener('abort', stop)
    xhr.send(body)
  })
}
