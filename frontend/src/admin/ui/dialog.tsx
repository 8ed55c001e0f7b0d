import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { es } from '../../i18n/es-admin'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** A drawer holds details at the side; a window holds a form, so a press beside it does not close it; an alert must be answered. */
  kind: 'drawer' | 'window' | 'alert'
}

/**
 * A dialog of the panel: the browser's own, which keeps the focus inside, closes on Escape and gives the focus back.
 * Radix's would put a style element into the page, which the site's Content-Security-Policy forbids.
 */
export function Dialog({ open, onClose, title, children, kind }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    if (open && !element.open) element.showModal()
    if (!open && element.open) element.close()
  }, [open])
  useEffect(() => {
    const element = dialog.current
    if (!element || kind !== 'drawer') return undefined
    // A press beside the box hits the dialog itself; Escape does the same for the keyboard. Letting go there after
    // marking a text inside is no such press.
    const onPress = (event: PointerEvent) => {
      if (event.target === element) onClose()
    }
    element.addEventListener('pointerdown', onPress)
    return () => element.removeEventListener('pointerdown', onPress)
  }, [kind, onClose])
  return (
    <dialog
      ref={dialog}
      role={kind === 'alert' ? 'alertdialog' : 'dialog'}
      aria-labelledby={heading}
      className={`p-dialogo p-dialogo-${kind}`}
      // Escape: the content goes with the dialog, not a moment later.
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
    >
      {open ? (
        <div className="p-dialogo-caja">
          <div className="flex items-start justify-between gap-4">
            <h2 id={heading} className="p-titulo text-[17px]">
              {title}
            </h2>
            {kind === 'alert' ? null : (
              <button type="button" className="p-icono -mt-2 -mr-2" aria-label={es.table.close} onClick={onClose}>
                <X aria-hidden size={18} />
              </button>
            )}
          </div>
          {children}
        </div>
      ) : null}
    </dialog>
  )
}
