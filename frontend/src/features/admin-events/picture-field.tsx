import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../admin/auth-error'
import { Field } from '../../components/field'
import { es } from '../../i18n/es-admin'
import { FILLED } from './event-inputs'
import { limits } from './event-schema'
import { shrink } from './shrink'

const texts = es.picture

type Props = {
  url: string
  alt: string
  /** The id of the message about the missing alternative text. */
  errorId: string | undefined
  /** Called with whether a picture is being uploaded. */
  onBusy: (busy: boolean) => void
  /** Called when the picture has changed. */
  onChange: (form: HTMLFormElement) => void
}

/** The picture of an event. It is uploaded when chosen, shown, described, and can be removed (P-06). */
export function PictureField({ url, alt, errorId, onBusy, onChange }: Props) {
  const { address, shown, put } = useAddress(url, onChange)
  const { state, send } = useUpload(address, put, onBusy)
  const description = useRef<HTMLInputElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const take = () => {
    if (description.current) description.current.value = ''
    put('')
  }
  const busy = state.kind === 'busy'
  return (
    <div className="panel-campo-imagen grid gap-3">
      {/* The type is not hidden, because such a field has no value apart from its default value. */}
      <input ref={address} hidden name="imageUrl" tabIndex={-1} aria-hidden="true" defaultValue={url} />
      <Field
        label={texts.label}
        hint={<span aria-live="polite">{busy ? texts.sending(state.share) : texts.help}</span>}
        error={state.kind === 'failed' ? state.text : undefined}
      >
        {(input) => (
          <>
            <input
              {...input}
              ref={chooser}
              className="sr-only panel-archivo"
              type="file"
              accept="image/*"
              disabled={busy}
              onChange={({ target }) => {
                const [file] = target.files ?? []
                if (file) void send(file)
                target.value = ''
              }}
            />
            {/* The browser's own button is in the browser's language, and shows that no file is chosen after the upload. */}
            <button
              type="button"
              className="boton"
              tabIndex={-1}
              aria-hidden="true"
              disabled={busy}
              onClick={() => chooser.current?.click()}
            >
              {shown ? texts.another : texts.choose}
            </button>
          </>
        )}
      </Field>
      {busy ? <progress className="w-full" aria-label={texts.progress} value={state.share} max={1} /> : null}
      <div hidden={shown === ''} className="grid gap-3">
        {shown ? <img src={shown} alt={texts.preview} width={320} height={200} className="panel-imagen" /> : null}
        <Field label={texts.alt} hint={texts.altHelp} errorId={errorId}>
          {(input) => (
            <input {...input} ref={description} name="imageAlt" maxLength={limits.imageAlt} autoComplete="off" defaultValue={alt} />
          )}
        </Field>
        <button type="button" className="boton justify-self-start" onClick={take}>
          {texts.remove}
        </button>
      </div>
    </div>
  )
}

/** The address in the form's hidden field, which other parts of the form also write. */
function useAddress(url: string, onChange: Props['onChange']) {
  const address = useRef<HTMLInputElement>(null)
  const [shown, setShown] = useState(url)
  useEffect(() => {
    const { form } = address.current ?? {}
    const follow = () => setShown(address.current?.value ?? '')
    form?.addEventListener(FILLED, follow)
    return () => form?.removeEventListener(FILLED, follow)
  }, [])
  const put = (next: string) => {
    setShown(next)
    if (!address.current) return
    address.current.value = next
    if (address.current.form) onChange(address.current.form)
  }
  return { address, shown, put }
}

type State = { kind: 'idle' } | { kind: 'busy'; share: number } | { kind: 'failed'; text: string }

/** Uploads a picture. If the form is refilled or closed meanwhile, the result is discarded. */
function useUpload(address: { current: HTMLInputElement | null }, put: (url: string) => void, onBusy: (busy: boolean) => void) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const running = useRef<AbortController>(null)
  useEffect(() => {
    const { form } = address.current ?? {}
    const stop = () => {
      running.current?.abort()
      setState({ kind: 'idle' })
    }
    form?.addEventListener(FILLED, stop)
    return () => {
      form?.removeEventListener(FILLED, stop)
      running.current?.abort()
    }
  }, [address])
  const send = async (file: File) => {
    const upload = new AbortController()
    running.current = upload
    setState({ kind: 'busy', share: 0 })
    onBusy(true)
    try {
      const { uploadPicture } = await import('../../firebase/picture-upload')
      const onProgress = (share: number) => setState({ kind: 'busy', share })
      const url = await uploadPicture(await shrink(file), { signal: upload.signal, onProgress })
      setState({ kind: 'idle' })
      put(url)
    } catch (error) {
      if (!upload.signal.aborted) setState({ kind: 'failed', text: messageOf(error) })
    } finally {
      onBusy(false)
    }
  }
  return { state, send }
}
