import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'

type Props = {
  open: boolean
  onClose: () => void
  /** The id of its title. */
  titleId: string
  className: string
  role?: 'alertdialog'
  /** Whether a click on the backdrop closes it. */
  closesOutside?: boolean
  children: ReactNode
}

/**
 * A modal without a look of its own: the browser's dialog, which keeps the focus inside. Escape closes it, and the focus returns to
 * where it was. Its content exists only while it is open. Radix's would put a style element into the page, which the site's
 * Content-Security-Policy forbids.
 */
export function Modal({ open, onClose, titleId, className, role, closesOutside = false, children }: Props) {
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
  // A text selected with the mouse may end outside; only what began outside closes.
  const beganOutside = useRef(false)
  const onPress = (gesture: MouseEvent) => {
    beganOutside.current = gesture.target === element.current
  }
  const onClick = (gesture: MouseEvent) => {
    if (closesOutside && gesture.target === element.current && beganOutside.current) onClose()
  }
  return (
    // The backdrop is the dialog itself: its content fills it, so a click on the element is a click outside. Escape is the browser's.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      role={role}
      aria-labelledby={titleId}
      onMouseDown={onPress}
      onClick={onClick}
      onCancel={(gesture) => {
        gesture.preventDefault()
        onClose()
      }}
      className={className}
    >
      {open ? children : null}
    </dialog>
  )
}
