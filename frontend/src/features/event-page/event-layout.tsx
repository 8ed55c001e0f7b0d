import type { ReactNode } from 'react'
import { Link } from '../../components/link'
import { tEvent } from '../../i18n/es-events'

type Parts = { title: ReactNode; when: ReactNode; actions: ReactNode; picture: ReactNode; facts: ReactNode; description: ReactNode }

/**
 * The frame of an event's page. The back office fills it with the parts that src/event-template.tsx renders: a part
 * must not depend on another one. It is as tall as the screen, so that what follows does not move visible content.
 */
export function EventLayout({ title, when, actions, picture, facts, description }: Parts) {
  return (
    <article className="contenedor grid min-h-dvh content-start gap-x-16 gap-y-8 pt-6 pb-12 md:pt-12 md:pb-20 lg:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
      <div className="flex flex-col items-start gap-5">
        <Link to="/calendario" className="no-imprimir enlace -mb-2 inline-flex min-h-11 items-center">
          {tEvent.seeCalendar}
        </Link>
        {title}
        {when}
        {actions}
      </div>
      <div className="grid content-start gap-8 lg:row-span-2">
        {picture}
        <dl className="divide-linea border-borde bg-superficie divide-y rounded-sm border-2 px-5">{facts}</dl>
      </div>
      {description}
    </article>
  )
}

/** The length from which a title has a smaller font, so that the content below it stays visible. */
export const LONG_TITLE = 70

/** An event's title. */
export function EventTitle({ title, long }: { title: string; long: boolean }) {
  return <h1 className={`${long ? 'titulo-2' : 'titulo-1'} wrap-anywhere`}>{title}</h1>
}

/** An event's time, with its weekday if it is known, and whether it is over. */
export function EventWhen({ weekday, line, over }: { weekday: string | null; line: string; over: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-acento flex flex-wrap gap-x-2 text-xl font-semibold">
        {weekday ? <span className="first-letter:uppercase">{weekday}</span> : null}
        <span>{line}</span>
      </p>
      {over ? <p className="etiqueta">{tEvent.finished}</p> : null}
    </div>
  )
}

/** An event's description. */
export function EventDescription({ text }: { text: string }) {
  return <p className="max-w-prose text-lg wrap-anywhere whitespace-pre-line">{text}</p>
}
