import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useText } from '../i18n/text'
import { Icon } from './icons'

type Props = { title: string; close: () => void; children: ReactNode; wide?: boolean; submit?: () => void; className?: string }

/** A modal dialog of the browser, which keeps the focus inside and returns it when it closes. */
export function Dialog({ title, close, children, wide = false, submit, className }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const { t } = useText()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    // showModal puts the focus on the first button; React's autofocus runs earlier, while the dialog is hidden.
    const first = dialog?.querySelector<HTMLElement>('[data-first]')
    first?.focus()
    if (first instanceof HTMLInputElement) first.select()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const inner = (
    <>
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <button type="button" className="button plain icon" aria-label={t.common.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </>
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit?.()
  }
  return (
    <dialog
      ref={ref}
      className={`${wide ? 'wide' : ''} ${className ?? ''}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      {submit ? <form onSubmit={onSubmit}>{inner}</form> : <div>{inner}</div>}
    </dialog>
  )
}
