import * as v from 'valibot'
import { auth } from './auth'
import { BackOfficeError, refusalOf } from './back-office'

const answer = v.object({ url: v.string() })

type Options = { signal: AbortSignal; onProgress: (share: number) => void }

/** Uploads a picture to the back office and returns its address. `onProgress` receives the uploaded share, up to 1. */
export async function uploadPicture(picture: Blob, { signal, onProgress }: Options): Promise<string> {
  const idToken = await auth.currentUser?.getIdToken()
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    // fetch does not report how much of a body has been sent.
    const request = new XMLHttpRequest()
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new BackOfficeError('network-request-failed'))
    request.onabort = () => reject(new DOMException('the upload was taken back', 'AbortError'))
    request.onload = () => {
      const body: unknown = request.response
      const made = v.safeParse(answer, body)
      if (request.status === 201 && made.success) resolve(made.output.url)
      else reject(refusalOf(request.status, body))
    }
    request.responseType = 'json'
    request.open('POST', '/api/admin/imagenes')
    request.setRequestHeader('Content-Type', picture.type || 'application/octet-stream')
    if (idToken) request.setRequestHeader('Authorization', `Bearer ${idToken}`)
    request.send(picture)
  })
}
