import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { visibleDays, isDay, move, afterKey, type View } from '../../lib/grid'
import { today } from '../../lib/dates'

/** The state of the calendar in the address. */
type Place = { view: View; date: string; day: string | null }

function read(query: URLSearchParams): Place {
  const date = query.get('fecha') ?? ''
  const day = query.get('dia') ?? ''
  return {
    view: query.get('vista') === 'semana' ? 'semana' : 'mes',
    date: isDay(date) ? date : today(),
    day: isDay(day) ? day : null,
  }
}

function write({ view, date, day }: Place): URLSearchParams {
  return new URLSearchParams({ vista: view, fecha: date, ...(day ? { dia: day } : {}) })
}

/** The calendar's state in the address: view, date and selected day; and the day with the keyboard focus. */
export function useCalendar() {
  const [query, setQuery] = useSearchParams()
  const place = read(query)
  const [focus, setFocus] = useState(place.day ?? place.date)
  // The day to which a key has moved. Only keys must move the focus, because a click sets it.
  const requested = useRef<string | null>(null)
  const days = visibleDays(place.view, place.date)

  const put = (change: Partial<Place>) => {
    const fresh = { ...place, ...change }
    // A selection outside of the visible range is dropped.
    const inView = fresh.day !== null && visibleDays(fresh.view, fresh.date).includes(fresh.day)
    setQuery(write({ ...fresh, day: inView ? fresh.day : null }), { replace: true, preventScrollReset: true })
  }
  const goTo = (date: string) => {
    setFocus(date)
    put({ date })
  }
  return {
    ...place,
    days,
    focus: days.includes(focus) ? focus : (days[0] ?? place.date),
    /** Whether a key has moved to a day. The call resets it. */
    claim: (day: string): boolean => {
      if (requested.current !== day) return false
      requested.current = null
      return true
    },
    goToToday: () => goTo(today()),
    advance: (step: 1 | -1) => goTo(move(place.date, place.view, step)),
    viewAs: (view: View) => put({ view, date: view === 'semana' ? (place.day ?? place.date) : place.date }),
    choose: (day: string) => {
      setFocus(day)
      put({ day: place.day === day ? null : day })
    },
    /** Handles a key. Returns whether it was one of the calendar's. */
    enterText: (key: string): boolean => {
      const target = afterKey(key, focus, place.view)
      if (!target) return false
      requested.current = target
      setFocus(target)
      if (!days.includes(target) || key.startsWith('Page')) put({ date: target })
      return true
    },
  }
}

/** The calendar's state and actions. */
export type Calendar = ReturnType<typeof useCalendar>
