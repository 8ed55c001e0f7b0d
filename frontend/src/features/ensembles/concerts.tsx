import { useSyncExternalStore } from 'react'
import { Plate } from '../../art/plate'
import { type Concert, ensambles } from '../../content/ensambles'
import { dateAndTime } from '../../lib/dates'

const MINUTE_MS = 60_000

/** The clock is not watched. The page uses the minute at which it is shown. */
const noNotice = () => () => undefined
const thisMinute = () => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
const unknown = () => null

/** The current time. It is known only in the browser, so that a prerendered page does not become outdated. */
const useNow = (): number | null => useSyncExternalStore(noNotice, thisMinute, unknown)

const INKS = ['coral', 'sol', 'hoja'] as const

/** A concert. A past concert cannot be reserved (D-16). */
function EventSheet({ concert, past, ink }: { concert: Concert; past: boolean; ink: (typeof INKS)[number] }) {
  return (
    <li className="estampa relative">
      <Plate slot={concert.img} ink={ink} sizes="(min-width: 768px) 373px, 100vw" />
      <div className="estampa-texto">
        <p className="text-acento font-semibold">
          <time dateTime={concert.date}>{dateAndTime(new Date(concert.date))}</time>
        </p>
        <h3 className="titulo-3 mt-1">{concert.title}</h3>
        <p className="mt-2 mb-4">{concert.desc}</p>
        {past ? (
          <p className="etiqueta self-start lg:mt-auto">{ensambles.finished}</p>
        ) : (
          <a className="enlace estirado inline-flex min-h-11 items-center self-start font-semibold lg:mt-auto" href="#reservas">
            {ensambles.reserve}
            <span className="sr-only"> {concert.title}</span>
          </a>
        )}
      </div>
    </li>
  )
}

/** The season's concerts (F-202). */
export function Concerts() {
  const now = useNow()
  return (
    <ul className="grid gap-x-8 gap-y-14 lg:grid-cols-3">
      {ensambles.concerts.map((concert, i) => (
        <EventSheet key={concert.id} concert={concert} ink={INKS[i % 3] ?? 'coral'} past={now !== null && Date.parse(concert.date) < now} />
      ))}
    </ul>
  )
}
