import { type KeyboardEvent, useEffect, useRef } from 'react'
import { tCalendar } from '../../i18n/es-calendar'
import { DAYS, longDay, longMonth, weeks } from '../../lib/grid'
import type { PublicEvent } from '../../lib/event'
import { today as todayOf } from '../../lib/dates'
import type { Calendar } from './use-calendar'

type DayProps = { date: string; events: PublicEvent[]; calendar: Calendar; isToday: boolean; withTitles: boolean }

/** The number of a day's events that are shown with their title. */
const TITLES = 6

/** A day: its number, its dots, and, if there is room, the titles of its events. */
function Day({ date, events, calendar, isToday, withTitles }: DayProps) {
  const { view, day, focus, choose, claim } = calendar
  const node = useRef<HTMLButtonElement>(null)
  const focused = focus === date
  useEffect(() => {
    if (focused && claim(date)) node.current?.focus()
  })
  const parts = [longDay(date), events.length ? tCalendar.count(events.length) : '', isToday ? tCalendar.isToday : '']
  const outside = view === 'mes' && date.slice(0, 7) !== calendar.date.slice(0, 7)
  return (
    // The role is explicit, because browsers drop it when the table's display is changed.
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles, jsx-a11y/no-noninteractive-element-to-interactive-role
    <td role="gridcell" aria-selected={day === date} className="celda">
      <button
        ref={node}
        type="button"
        tabIndex={focused ? 0 : -1}
        aria-label={parts.filter(Boolean).join(', ')}
        onClick={() => choose(date)}
        className={`dia ${outside ? 'dia-fuera' : ''} ${day === date ? 'dia-elegido' : ''}`}
      >
        <span className={`dia-numero ${isToday ? 'dia-hoy' : ''}`}>
          {view === 'semana' ? <span className="dia-semana">{DAYS[weekOf(date, calendar)]?.slice(0, 3)} </span> : null}
          {Number(date.slice(8))}
        </span>
        <span className="dia-puntos" aria-hidden="true">
          {isToday ? <span className="punto bg-hoy" /> : null}
          {events.length > 0 ? <span className="punto bg-evento" /> : null}
        </span>
        {withTitles ? (
          <span className="dia-titulos" aria-hidden="true">
            {events.slice(0, TITLES).map(({ id, title, time, place }) => (
              <span key={id} className="dia-titulo">
                <b>{time}</b> {title}
                <span className="dia-lugar">{place}</span>
              </span>
            ))}
            {events.length > TITLES ? <span className="dia-titulo">{tCalendar.more(events.length - TITLES)}</span> : null}
          </span>
        ) : null}
      </button>
    </td>
  )
}

const weekOf = (date: string, { days }: Calendar) => days.indexOf(date) % 7

type Props = { calendar: Calendar; byDay: Map<string, PublicEvent[]>; withTitles: boolean }

/** The month or the week as a grid of days (F-231, F-233…F-235; APG grid). */
export function Grid({ calendar, byDay, withTitles }: Props) {
  const { days, view, date, enterText } = calendar
  const today = todayOf()
  const onKey = (gesture: KeyboardEvent) => {
    if (gesture.ctrlKey || gesture.metaKey || gesture.altKey) return
    if (enterText(gesture.key)) gesture.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
    <table role="grid" aria-label={longMonth(date)} className={`cuadricula cuadricula-${view}`} onKeyDown={onKey}>
      <thead>
        <tr>
          {DAYS.map((day) => (
            <th key={day} scope="col">
              <abbr title={day} aria-label={day} className="no-underline">
                {day.slice(0, 3)}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks(days).map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <Day key={day} date={day} events={byDay.get(day) ?? []} calendar={calendar} isToday={day === today} withTitles={withTitles} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
