import { useState } from 'react'
import { Link } from 'react-router-dom'
import { rowsOf, type Live } from '../../admin/data/live'
import { usePanelData } from '../../admin/data/panel-data'
import type { Status } from '../../admin/data/rows'
import { es } from '../../i18n/es-admin'
import { enLocal, fechaCorta, RAYA } from '../../lib/fechas'
import { byWeek } from './weeks'

const WEEKS = 8
/** What still waits for somebody; old applications can't be moved along any more, so they wait for nobody. */
const isNew = ({ status, fixed = false }: { status: Status; fixed?: boolean }) => status === 'new' && !fixed

/** What waits for somebody, at a glance (P-17). */
export function Summary() {
  const { events, contacts, volunteers, rentals, subscriptions } = usePanelData()
  const [now] = useState(() => new Date())
  const { resumen } = es
  const requests = volunteers.status === 'ready' && rentals.status === 'ready'
  const asked = [...rowsOf(volunteers), ...rowsOf(rentals)].filter(isNew).length
  const ahead = count(events, (event) => event.eventDate !== null && event.eventDate >= now)
  return (
    <section aria-label={resumen.nombre} className="p-resumen">
      <Figure to="eventos" estado="proximos" name={resumen.eventos} value={ahead} />
      <Figure to="contactos" estado="new" name={resumen.mensajes} value={count(contacts, isNew)} />
      <Figure to="voluntarios" estado="new" name={resumen.solicitudes} value={requests ? String(asked) : RAYA} />
      <Figure to="boletin" name={resumen.suscripciones} value={count(subscriptions, () => true)} />
      <WeekBars
        moments={[...rowsOf(contacts), ...rowsOf(volunteers), ...rowsOf(rentals), ...rowsOf(subscriptions)].map((row) => row.createdAt)}
        now={now}
      />
    </section>
  )
}

/** How many rows are so, or a dash while that is unknown. */
function count<T>(live: Live<T>, wanted: (row: T) => boolean): string {
  return live.status === 'ready' ? String(live.rows.filter(wanted).length) : RAYA
}

function Figure({ to, estado, name, value }: { to: string; estado?: string; name: string; value: string }) {
  const query = new URLSearchParams({ tab: to, ...(estado ? { estado } : {}) })
  return (
    <Link to={{ search: `?${query}` }} replace preventScrollReset className="block">
      <span className="p-cifra block">{value}</span>
      <span className="p-ayuda">{name}</span>
    </Link>
  )
}

function WeekBars({ moments, now }: { moments: readonly (Date | null)[]; now: Date }) {
  const weeks = byWeek(moments, now, WEEKS)
  const most = Math.max(1, ...weeks.map((week) => week.count))
  return (
    <div>
      <ul className="p-semanas">
        {weeks.map(({ start, count: n }) => {
          const text = es.resumen.semana(fechaCorta(enLocal(start)?.fecha ?? ''), n)
          return (
            <li key={start.getTime()} title={text} style={{ height: `${(100 * n) / most}%` }}>
              <span className="sr-only">{text}</span>
            </li>
          )
        })}
      </ul>
      <p className="p-ayuda">{es.resumen.semanas}</p>
    </div>
  )
}
