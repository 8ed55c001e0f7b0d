import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { useText } from '../i18n/text'
import { Icon } from './icons'

type Toast = { id: number; text: string; action?: { label: string; act: () => void } }
type Show = (text: string, options?: { action?: Toast['action']; seconds?: number }) => void

const ToastContext = createContext<Show>(() => {})

/** Short notices of completed actions, with a button that undoes the action if that is possible. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const next = useRef(0)
  const { t } = useText()
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), [])
  const show = useCallback<Show>(
    (text, { action, seconds } = {}) => {
      const id = next.current++
      setToasts((all) => [...all.slice(-2), { id, text, action }])
      setTimeout(() => remove(id), (seconds ?? (action ? 60 : 6)) * 1000)
    },
    [remove],
  )
  const value = useMemo(() => show, [show])
  return (
    <ToastContext value={value}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text, action }) => (
          <div className="toast" key={id}>
            <span className="wrap">{text}</span>
            {action && (
              <button
                type="button"
                className="button push"
                onClick={() => {
                  remove(id)
                  action.act()
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" className={`button icon ${action ? '' : 'push'}`} aria-label={t.common.close} onClick={() => remove(id)}>
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

export const useToast = (): Show => useContext(ToastContext)
