import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useId } from 'react'
import { SIZES } from '../data/extent'
import { es } from '../../i18n/es-admin'

type Props = {
  page: number
  pages: number
  size: number
  label: string
  onPage: (page: number) => void
  onSize: (size: number) => void
}

/** The controls for the pages of a table. */
export function Pager({ page, pages, size, label, onPage, onSize }: Props) {
  const id = useId()
  return (
    <div className="panel-paginas">
      <label htmlFor={id}>{es.table.perPage}</label>
      <select id={id} className="casilla w-auto" value={size} onChange={({ target }) => onSize(Number(target.value))}>
        {SIZES.map((n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
      <div className="ml-auto flex items-center gap-2">
        <span role="status">{label}</span>
        <button type="button" className="panel-icono" aria-label={es.table.previous} disabled={page === 0} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden size={18} />
        </button>
        <button
          type="button"
          className="panel-icono"
          aria-label={es.table.next}
          disabled={page + 1 >= pages}
          onClick={() => onPage(page + 1)}
        >
          <ChevronRight aria-hidden size={18} />
        </button>
      </div>
    </div>
  )
}
