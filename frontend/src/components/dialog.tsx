import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { t } from '../i18n/es'
import { Sign } from './sign'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  /** A page dialog closes by a click outside, as does a drawer with details. A window contains a form, and an alert requires an answer. */
  kind: 'page' | 'drawer' | 'window' | 'alert'
  /** A picture above the title. */
  before?: ReactNode
  children: ReactNode
}

/**
 * A modal dialog of the site or the panel: the browser's own, which keeps the focus inside. Escape closes it, and the focus returns to the
 * previous element. Its content exists only while it is open. Radix's dialog would insert a style element, which the site's
 * Content-Security-Policy forbids.
 */
export function Dialog({ open, onClose, title, kind, before, children }: Props) {
  const titleId = useId()
  const element = useOpenDialog(open)
  // A text selection may end outside. Only a press that began outside closes.
  const beganOutside = useRef(false)
  const closesOutside = kind === 'page' || kind === 'drawer'
  const onPress = (gesture: MouseEvent) => {
    beganOutside.current = gesture.target === element.current
  }
  const onClick = (gesture: MouseEvent) => {
    if (closesOutside && gesture.target === element.current && beganOutside.current) onClose()
  }
  return (
    // The backdrop is the dialog element itself. Its content fills it, so a click on the element is a click outside.
    // The browser handles Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      role={kind === 'alert' ? 'alertdialog' : undefined}
      aria-labelledby={titleId}
      onMouseDown={onPress}
      onClick={onClick}
      onCancel={(gesture) => {
        gesture.preventDefault()
        onClose()
      }}
      className={`dialogo dialogo-${kind}`}
    >
      {open ? (
        <div className="dialogo-caja">
          {kind === 'alert' ? null : (
            <button type="button" className="dialogo-cerrar" aria-label={t.common.close} onClick={onClose}>
              <Sign name="close" />
            </button>
          )}
          {before}
          <h2 id={titleId} className="titulo-2 dialogo-titulo">
            {title}
          </h2>
          <div className="dialogo-cuerpo">{children}</div>
        </div>
      ) : null}
    </dialog>
  )
}

/** A dialog element that is shown while `open` is set. Closing it restores the focus. */
function useOpenDialog(open: boolean) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const node = element.current
    if (!node || !open) return
    const origin = document.activeElement
    node.showModal()
    return () => {
      node.close()
      if (origin instanceof HTMLElement) origin.focus()
    }
  }, [open])
  return element
}
