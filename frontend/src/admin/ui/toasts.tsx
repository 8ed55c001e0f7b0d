import { X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { es } from '../../i18n/es-admin'

/** A short notice, with an optional action. */
export type Notice = {
  text: string
  kind?: 'error'
  /** How long it is shown. */
  duration?: number
  action?: { label: string; run: () => void }
}

type Shown = Notice & { id: number }

const Context = createContext<((notice: Notice) => void) | null>(null)
const SHORT_MS = 4000

/**
 * Shows notices at the edge of the panel, in a live region. Radix's toasts repeat their text in a hidden element, so
 * that the page contains it twice.
 */
export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([])
  const last = useRef(0)
  const notify = useCallback((notice: Notice) => {
    last.current += 1
    const id = last.current
    setShown((all) => [...all, { ...notice, id }])
  }, [])
  const drop = useCallback((id: number) => setShown((all) => all.filter((one) => one.id !== id)), [])
  return (
    <Context value={notify}>
      {children}
      <section role="status" aria-label={es.panel.notices} className="panel-avisos">
        {shown.map((notice) => (
          <Toast key={notice.id} notice={notice} onGone={drop} />
        ))}
      </section>
    </Context>
  )
}

/** One notice. It stays while the pointer or the focus is on it. */
function Toast({ notice, onGone }: { notice: Shown; onGone: (id: number) => void }) {
  const { id, text, kind, duration = SHORT_MS, action } = notice
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return undefined
    const timer = setTimeout(() => onGone(id), duration)
    return () => clearTimeout(timer)
  }, [held, duration, id, onGone])
  return (
    <div
      className={kind === 'error' ? 'panel-aviso panel-aviso-error' : 'panel-aviso'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p role={kind === 'error' ? 'alert' : undefined} className="grow">
        {text}
      </p>
      {action ? (
        <button
          type="button"
          className="panel-aviso-boton"
          onClick={() => {
            onGone(id)
            action.run()
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button type="button" className="panel-icono panel-aviso-cerrar" aria-label={es.table.close} onClick={() => onGone(id)}>
        <X aria-hidden size={16} />
      </button>
    </div>
  )
}

/** Shows a notice. */
export function useNotify(): (notice: Notice) => void {
  const notify = useContext(Context)
  if (!notify) throw new Error('useNotify outside the panel')
  return notify
}
