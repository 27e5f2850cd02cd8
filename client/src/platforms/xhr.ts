/** XMLHttpRequest is the only way to see the progress of an upload in browsers and in React Native. */
export async function uploadByXhr(
  request: Request,
  tell: (sent: number, total: number | undefined) => void,
): Promise<Response> {
  const body = await request.blob()
  request.signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const stop = () => xhr.abort()
    xhr.open(request.method, request.url)
    for (const [name, value] of request.headers) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      tell(loaded, lengthComputable ? total : undefined)
    xhr.onload = () => {
      const type = xhr.getResponseHeader('content-type')
      resolve(
        new Response(xhr.responseText, { status: xhr.status, headers: type ? { 'content-type': type } : {} }),
      )
    }
    xhr.onerror = () => reject(new TypeError('The upload failed'))
    xhr.onabort = () => reject(request.signal.reason)
    xhr.onloadend = () => request.signal.removeEventListener('abort', stop)
    request.signal.addEventListener('abort', stop)
    xhr.send(body)
  })
}
