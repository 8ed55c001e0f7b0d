import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import { es } from '../../i18n/es-admin'

/** A short notice; an action can be taken while it is shown. */
export type Notice = {
  text: string
  kind?: 'error'
  /** How long it stays; failures stay longer than successes. */
  duration?: number
  action?: { label: string; run: () => void }
}

type Shown = Notice & { id: number }

const Context = createContext<((notice: Notice) => void) | null>(null)
const SHORT_MS = 4000

/** Shows notices at the edge of the panel. */
export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([])
  const last = useRef(0)
  const notify = useCallback((notice: Notice) => {
    last.current += 1
    const id = last.current
    setShown((all) => [...all, { ...notice, id }])
  }, [])
  const drop = useMemo(() => (id: number) => setShown((all) => all.filter((one) => one.id !== id)), [])
  return (
    <Context value={notify}>
      <Toast.Provider label={es.panel.avisos} swipeDirection="right">
        {children}
        {shown.map((one) => (
          <ToastLine key={one.id} notice={one} onGone={() => drop(one.id)} />
        ))}
        <Toast.Viewport className="p-avisos" label={es.panel.avisos} />
      </Toast.Provider>
    </Context>
  )
}

function ToastLine({ notice, onGone }: { notice: Shown; onGone: () => void }) {
  const { text, kind, duration = SHORT_MS, action } = notice
  return (
    <Toast.Root
      className={kind === 'error' ? 'p-aviso p-aviso-error' : 'p-aviso'}
      type={kind === 'error' || action ? 'foreground' : 'background'}
      duration={duration}
      onOpenChange={(open) => {
        if (!open) onGone()
      }}
    >
      <Toast.Description role={kind === 'error' ? 'alert' : undefined} className="grow">
        {text}
      </Toast.Description>
      {action ? (
        <Toast.Action altText={action.label} className="p-aviso-boton" onClick={action.run}>
          {action.label}
        </Toast.Action>
      ) : null}
      <Toast.Close className="p-icono p-aviso-cerrar" aria-label={es.tabla.cerrar}>
        <X aria-hidden size={16} />
      </Toast.Close>
    </Toast.Root>
  )
}

/** Shows a notice. */
export function useNotify(): (notice: Notice) => void {
  const notify = useContext(Context)
  if (!notify) throw new Error('useNotify outside the panel')
  return notify
}
