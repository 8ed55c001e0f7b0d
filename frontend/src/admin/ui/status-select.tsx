import type { SelectHTMLAttributes } from 'react'
import { es } from '../../i18n/es-admin'
import { statuses, type Status } from '../data/rows'

type Props = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange' | 'children'> & {
  value: string
  /** Called with the choice; not called for `none`. */
  onPick: (status: Status | undefined) => void
  /** The label for a value that is not among the choices. */
  none?: string
}

/** A selection among the four statuses of a form (P-03). */
export function StatusSelect({ value, onPick, none, className = '', ...select }: Props) {
  return (
    <select
      {...select}
      className={`casilla ${className}`}
      value={value}
      onChange={({ target }) => onPick(statuses.find((one) => one === target.value))}
    >
      {none === undefined ? null : <option value="">{none}</option>}
      {statuses.map((one) => (
        <option key={one} value={one}>
          {es.statuses[one]}
        </option>
      ))}
    </select>
  )
}
