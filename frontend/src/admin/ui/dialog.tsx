import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Modal } from '../../components/modal'
import { es } from '../../i18n/es-admin'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** A drawer holds details at the side; a window holds a form, so a press beside it does not close it; an alert must be answered. */
  kind: 'drawer' | 'window' | 'alert'
}

/** A dialog of the panel. */
export function Dialog({ open, onClose, title, children, kind }: Props) {
  const heading = useId()
  const isAlert = kind === 'alert'
  return (
    <Modal
      open={open}
      onClose={onClose}
      titleId={heading}
      {...(isAlert ? { role: 'alertdialog' } : {})}
      closesOutside={kind === 'drawer'}
      className={`p-dialogo p-dialogo-${kind}`}
    >
      <div className="p-dialogo-caja">
        <div className="flex items-start justify-between gap-4">
          <h2 id={heading} className="p-titulo text-[17px]">
            {title}
          </h2>
          {isAlert ? null : (
            <button type="button" className="p-icono -mt-2 -mr-2" aria-label={es.table.close} onClick={onClose}>
              <X aria-hidden size={18} />
            </button>
          )}
        </div>
        {children}
      </div>
    </Modal>
  )
}
