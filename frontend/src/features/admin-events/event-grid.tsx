import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { whenOf } from '../../admin/data/extent'
import { type Live, rowsOf } from '../../admin/data/live'
import type { MusicEvent } from '../../admin/data/rows'
import { matches } from '../../admin/search'
import { Empty, Failed, Problem, Skeleton } from '../../admin/ui/state'
import { useFilters } from '../../admin/use-filters'
import { useNarrow } from '../../admin/use-narrow'
import { es } from '../../i18n/es-admin'
import { EventCard } from './event-card'
import { GridBar } from './grid-bar'

type Props = {
  live: Live<MusicEvent>
  /** Whether a dialog about one of the events is open. */
  asking: boolean
  onEdit: (event: MusicEvent) => void
  onDuplicate: (event: MusicEvent) => void
  onDelete: (event: MusicEvent) => void
}

/** The saved events, earliest first, in all states of a live list. */
export function EventGrid({ live, asking, ...actions }: Props) {
  const { events: texts } = es
  const [params] = useSearchParams()
  // With a filter or a search, an empty result does not mean that there are no events.
  const every = whenOf(params, useNarrow()) === '' && !params.get('q')
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useRef<HTMLElement>(null)
  const place = useRef(0)
  const count = rowsOf(live).length
  const before = useRef(count)
  const lost = useRef(false)
  useEffect(() => {
    // A card that is removed while it has the focus leaves it nowhere: the card in its place receives it when no dialog is open.
    if (count < before.current) lost.current = true
    before.current = count
    if (!lost.current || asking) return undefined
    const frame = requestAnimationFrame(() => {
      lost.current = false
      if (document.activeElement !== document.body) return
      const cards = list.current?.querySelectorAll('article') ?? []
      const next = cards[Math.min(place.current, cards.length - 1)]?.querySelector('button') ?? heading.current
      next?.focus({ preventScroll: true })
      next?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [count, asking])
  useEffect(() => {
    const section = list.current
    // The position of the card whose button was pressed.
    const remember = ({ target }: FocusEvent) => {
      const cards = [...(section?.querySelectorAll('article') ?? [])]
      const index = cards.findIndex((card) => target instanceof Node && card.contains(target))
      if (index >= 0) place.current = index
    }
    section?.addEventListener('focusin', remember)
    return () => section?.removeEventListener('focusin', remember)
  }, [])
  return (
    <section ref={list} aria-labelledby="eventos-guardados" className="grid content-start gap-3">
      <h2 ref={heading} id="eventos-guardados" tabIndex={-1} className="sr-only">
        {texts.savedList}
      </h2>
      {live.status === 'loading' ? <Skeleton rows={6} label={es.table.loading} /> : null}
      {live.status === 'error' ? <Failed /> : null}
      {live.status === 'ready' && live.offline ? <Problem>{live.rows.length > 0 ? es.table.offline : es.table.noData}</Problem> : null}
      {live.status === 'ready' && live.rows.length === 0 && !live.offline && every ? (
        <Empty slot="vacio-eventos">{es.empties.events}</Empty>
      ) : null}
      {live.status === 'ready' && (live.rows.length > 0 || !every) ? <Cards events={live.rows} total={live.total} {...actions} /> : null}
    </section>
  )
}

type CardsProps = Omit<Props, 'live' | 'asking'> & { events: readonly MusicEvent[]; total: number }

/** The cards of the requested events, and the button for more. */
function Cards({ events, total, onEdit, onDuplicate, onDelete }: CardsProps) {
  const { search, page, set } = useFilters()
  const narrow = useNarrow()
  const [params] = useSearchParams()
  const wanted = useDeferredValue(search)
  // The boundary of "past" is fixed when the tab opens, so that cards do not move while they are used.
  const [now] = useState(() => Date.now())
  const isPast = (event: MusicEvent) => event.eventDate !== null && event.eventDate.getTime() < now
  const when = whenOf(params, narrow)
  const shown = events.filter(
    (event) =>
      (when === '' || isPast(event) === (when === 'anteriores')) &&
      matches(wanted, [event.title, event.description, event.location, event.featuredArtist]),
  )
  return (
    <>
      <GridBar
        search={search}
        onSearch={(text) => set('q', text)}
        when={when}
        onWhen={(value) => set('estado', value || (narrow ? 'todos' : ''))}
        count={es.table.results(shown.length, total)}
      />
      {shown.length === 0 ? <Empty slot="vacio-busqueda">{es.table.noMatches}</Empty> : null}
      <ul className="panel-eventos">
        {shown.map((event) => (
          <li key={event.id}>
            <EventCard
              event={event}
              past={isPast(event)}
              onEdit={() => onEdit(event)}
              onDuplicate={() => onDuplicate(event)}
              onDelete={() => onDelete(event)}
            />
          </li>
        ))}
      </ul>
      {events.length < total ? (
        <button type="button" className="boton justify-self-center" onClick={() => set('pagina', String(page + 2))}>
          {es.events.seeMore}
        </button>
      ) : null}
    </>
  )
}
