import { Sign } from './sign'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { t } from '../i18n/es'

type Props = { open: boolean; onClose: () => void; title: string; before?: ReactNode; children: ReactNode }

/**
 * A modal of the page: native dialog, closed by its X, Escape or a click on the backdrop; a full sheet on phones.
 * The browser keeps the focus inside and gives it back to the opener.
 */
export function Dialog({ open, onClose, title, before, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
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
    if (gesture.target === element.current && beganOutside.current) onClose()
  }
  return (
    // The backdrop is the dialog itself: its content fills it, so a click on the element is a click outside. Escape is the browser's.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onMouseDown={onPress}
      onClick={onClick}
      onCancel={(gesture) => {
        gesture.preventDefault()
        onClose()
      }}
      className="ventana border-borde bg-fondo text-texto m-auto w-[min(41rem,calc(100vw-2rem))] max-w-none overflow-auto overscroll-contain rounded-sm border-2 p-0 max-sm:m-0 max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:border-0"
    >
      {open ? (
        <div className="relative min-h-full p-5 sm:p-8">
          <button
            type="button"
            aria-label={t.common.close}
            onClick={onClose}
            className="border-borde bg-superficie sticky top-0 z-10 float-right ml-4 grid size-11 place-items-center rounded-sm border-2"
          >
            <Sign name="close" />
          </button>
          {before}
          <h2 id={titleId} className="titulo-2 wrap-anywhere">
            {title}
          </h2>
          <div className="mt-5 clear-both">{children}</div>
        </div>
      ) : null}
    </dialog>
  )
}
