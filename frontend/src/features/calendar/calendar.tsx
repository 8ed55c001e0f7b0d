import { useMemo } from 'react'
import { t } from '../../i18n/es'
import { tCalendar } from '../../i18n/es-calendar'
import type { PublicEvent } from '../../lib/event'
import { toLocal } from '../../lib/dates'
import { usePrinting } from '../../lib/use-printing'
import { PrintedAgenda } from './printed-agenda'
import { Controls } from './controls'
import { Grid } from './grid'
import { Featured } from './featured'
import { ChosenDay } from './chosen-day'
import { useCalendar } from './use-calendar'
import { useRangeEvents } from './use-range-events'

/** Events by their day in the foundation's zone. */
function distribute(events: PublicEvent[]): Map<string, PublicEvent[]> {
  const byDay = new Map<string, PublicEvent[]>()
  for (const event of events) {
    const day = toLocal(event.moment)?.date
    if (day) byDay.set(day, [...(byDay.get(day) ?? []), event])
  }
  return byDay
}

/** The calendar. */
export function Calendar() {
  const calendar = useCalendar()
  const { days, day } = calendar
  const { events, loading } = useRangeEvents(days)
  const byDay = useMemo(() => distribute(events), [events])
  const onPaper = usePrinting()
  // A week names its events itself, so that nothing stands beside it until a day is selected.
  const isAlone = calendar.view === 'semana' && day === null
  return (
    <>
      <div className="contenedor calendario">
        <Controls calendar={calendar} />
        <div className={`grid items-start gap-8 ${isAlone && !onPaper ? '' : 'lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)] lg:gap-12'}`}>
          <div className="lg:sticky lg:top-24">
            <Grid calendar={calendar} byDay={byDay} withTitles={onPaper || calendar.view === 'semana'} />
            <div className="no-imprimir text-suave mt-3 flex min-h-7 flex-wrap items-center gap-x-5 text-sm">
              <span className="inline-flex items-center gap-2">
                <span className="punto bg-hoy" aria-hidden="true" />
                {tCalendar.todayLegend}
              </span>
              <span className="inline-flex items-center gap-2">
                <span className="punto bg-evento" aria-hidden="true" />
                {tCalendar.eventLegend}
              </span>
              {calendar.view === 'semana' ? (
                <span className="inline-flex items-center gap-2">
                  <span className="silencio" aria-hidden="true" />
                  {tCalendar.restLegend}
                </span>
              ) : null}
              <span role="status">{loading ? t.events.loading : ''}</span>
            </div>
          </div>
          {onPaper ? (
            <PrintedAgenda events={events} calendar={calendar} loading={loading} />
          ) : (
            <ChosenDay day={day} byDay={isAlone ? null : byDay} onChoose={calendar.choose} />
          )}
        </div>
      </div>
      <Featured events={events} loading={loading} calendar={calendar} />
    </>
  )
}
