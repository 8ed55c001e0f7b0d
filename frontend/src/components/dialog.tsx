import { type ReactNode, useId } from 'react'
import { t } from '../i18n/es'
import { Modal } from './modal'
import { Sign } from './sign'

type Props = { open: boolean; onClose: () => void; title: string; before?: ReactNode; children: ReactNode }

/** A modal of the page, closed by its X, Escape or a click on the backdrop; a full sheet on phones. */
export function Dialog({ open, onClose, title, before, children }: Props) {
  const titleId = useId()
  return (
    <Modal
      open={open}
      onClose={onClose}
      titleId={titleId}
      closesOutside
      className="ventana border-borde bg-fondo text-texto m-auto w-[min(41rem,calc(100vw-2rem))] max-w-none overflow-auto overscroll-contain rounded-sm border-2 p-0 max-sm:m-0 max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:border-0"
    >
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
    </Modal>
  )
}
