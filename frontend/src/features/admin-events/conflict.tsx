import { type Ref, useId } from 'react'
import { es } from '../../i18n/es-admin'
import { RAYA } from '../../lib/fechas'
import type { Name, Values } from './event-values'

const labels: Record<Name, string> = {
  title: es.eventos.titulo,
  description: es.eventos.descripcion,
  date: es.eventos.fecha,
  time: es.eventos.hora,
  location: es.eventos.lugar,
  featuredArtist: es.eventos.artista,
  price: es.eventos.precio,
}

type Props = {
  /** What the other one has changed. */
  changed: readonly Name[]
  theirs: Values
  /** Whether a save was tried meanwhile. */
  refused: boolean
  join: () => void
  take: () => void
  choice: Ref<HTMLButtonElement>
}

/** Tells what somebody else has written into the event meanwhile, and asks what is to become of both versions. */
export function Conflict({ changed, theirs, refused, join, take, choice }: Props) {
  const help = useId()
  const { eventos } = es
  return (
    <div className="p-problema grid gap-2">
      <div role="alert" className="grid gap-2">
        <p>
          {refused ? `${eventos.noGuardadoAun} ` : ''}
          {eventos.cambiadoPorOtro}
        </p>
        <dl className="p-cambios">
          {changed.map((name) => (
            <div key={name}>
              <dt>{labels[name]}</dt>
              <dd>{theirs[name].trim() || RAYA}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p id={help}>{eventos.combinarAyuda}</p>
      <div className="flex flex-wrap gap-2">
        <button ref={choice} type="button" className="p-boton p-boton-principal" aria-describedby={help} onClick={join}>
          {eventos.combinar}
        </button>
        <button type="button" className="p-boton" onClick={take}>
          {eventos.descartarMio}
        </button>
      </div>
    </div>
  )
}

/** Gives back the text that somebody has let go of. */
export function Recovery({ onRecover }: { onRecover: () => void }) {
  return (
    <div className="p-problema flex flex-wrap items-center gap-2">
      <p role="status" className="grow">
        {es.eventos.otraVersion}
      </p>
      <button type="button" className="p-boton" onClick={onRecover}>
        {es.eventos.recuperarMio}
      </button>
    </div>
  )
}
