import type { When } from '../../admin/data/extent'
import { SearchBox } from '../../admin/table/search-box'
import { es } from '../../i18n/es-admin'

type Props = { search: string; onSearch: (text: string) => void; when: When; onWhen: (when: When) => void; count: string }

const choices: readonly (readonly [When, string])[] = [
  ['', es.events.all],
  ['proximos', es.events.upcoming],
  ['anteriores', es.events.previousOnes],
]

/** The controls above the events: search, filter, count. */
export function GridBar({ search, onSearch, when, onWhen, count }: Props) {
  return (
    <div className="panel-barra">
      <SearchBox label={es.table.search} value={search} onChange={onSearch} />
      <div role="group" aria-label={es.events.filter} className="panel-grupo">
        {choices.map(([value, label]) => (
          <button key={value} type="button" aria-pressed={when === value} onClick={() => onWhen(value)}>
            {label}
          </button>
        ))}
      </div>
      <p role="status" className="panel-cuenta">
        {count}
      </p>
    </div>
  )
}
