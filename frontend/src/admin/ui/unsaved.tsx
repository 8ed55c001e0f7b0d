import { useEffect, useRef } from 'react'
import { es } from '../../i18n/es-admin'

type Props = { text: string; onStay: () => void; onLeave: () => void; keep?: { label: string; run: () => void } }

/** Offers the choices for unsaved text: to continue, to discard it, or to keep it for later if that is possible. */
export function Unsaved({ text, onStay, onLeave, keep }: Props) {
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div className="panel-problema grid gap-2">
      <p role="alert">{text}</p>
      <div className="flex flex-wrap gap-2">
        <button ref={stay} type="button" className="boton" onClick={onStay}>
          {es.events.goOn}
        </button>
        {keep ? (
          <button type="button" className="boton" onClick={keep.run}>
            {keep.label}
          </button>
        ) : null}
        <button type="button" className="boton boton-peligro" onClick={onLeave}>
          {es.events.discard}
        </button>
      </div>
    </div>
  )
}
