import { type Ref, useId } from 'react'
import { es } from '../../i18n/es-admin'
import { DASH } from '../../lib/dates'
import type { Name, Values } from './event-values'

const labels: Record<Name, string> = {
  title: es.events.title,
  description: es.events.description,
  date: es.events.date,
  time: es.events.time,
  location: es.events.place,
  featuredArtist: es.events.artist,
  price: es.events.price,
  imageUrl: es.picture.label,
  imageAlt: es.picture.alt,
}

type Props = {
  /** The fields that the other user has changed. */
  changed: readonly Name[]
  theirs: Values
  /** Whether a save was attempted meanwhile. */
  refused: boolean
  join: () => void
  take: () => void
  choice: Ref<HTMLButtonElement>
}

/** Shows another user's changes to the event, and lets the user choose between both versions. */
export function Conflict({ changed, theirs, refused, join, take, choice }: Props) {
  const help = useId()
  const { events } = es
  return (
    <div className="panel-problema grid gap-2">
      <div role="alert" className="grid gap-2">
        <p>
          {refused ? `${events.notSavedYet} ` : ''}
          {events.changedByOther}
        </p>
        <dl className="panel-cambios">
          {changed.map((name) => (
            <div key={name}>
              <dt>{labels[name]}</dt>
              <dd>{theirs[name].trim() || DASH}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p id={help}>{events.combineHelp}</p>
      <div className="flex flex-wrap gap-2">
        <button ref={choice} type="button" className="boton boton-primario" aria-describedby={help} onClick={join}>
          {events.combine}
        </button>
        <button type="button" className="boton" onClick={take}>
          {events.discardMine}
        </button>
      </div>
    </div>
  )
}

/** Restores the text that the user has discarded. */
export function Recovery({ onRecover }: { onRecover: () => void }) {
  return (
    <div className="panel-problema flex flex-wrap items-center gap-2">
      <p role="status" className="grow">
        {es.events.otherVersion}
      </p>
      <button type="button" className="boton" onClick={onRecover}>
        {es.events.recoverMine}
      </button>
    </div>
  )
}
