import { Sign } from '../../components/sign'
import { buttonClasses } from '../../components/button-classes'
import { tCalendar } from '../../i18n/es-calendar'
import { longMonth, type View } from '../../lib/grid'
import type { Calendar } from './use-calendar'

const VIEWS: { view: View; text: string }[] = [
  { view: 'semana', text: tCalendar.week },
  { view: 'mes', text: tCalendar.month },
]

/** The id of the button for the next range. */
export const NEXT_ID = 'calendario-siguiente'

/** The title of the visible range, the buttons for the previous and next one and for today, and the two views (F-232, D-10, D-11). */
export function Controls({ calendar }: { calendar: Calendar }) {
  const { view, date, advance, goToToday, viewAs } = calendar
  const month = view === 'mes'
  return (
    <div className="calendario-controles">
      <h2 aria-live="polite" className="titulo-2 w-full first-letter:uppercase md:mr-auto md:w-auto">
        {longMonth(date)}
      </h2>
      <div className="no-imprimir flex gap-2 max-sm:gap-1">
        <button
          type="button"
          className={`${buttonClasses()} px-2.5 max-[389px]:px-2`}
          aria-label={month ? tCalendar.previousMonth : tCalendar.previousWeek}
          onClick={() => advance(-1)}
        >
          <Sign name="left" />
        </button>
        <button type="button" className={`${buttonClasses()} px-4 max-[389px]:px-2.5`} onClick={goToToday}>
          {tCalendar.today}
        </button>
        <button
          type="button"
          id={NEXT_ID}
          className={`${buttonClasses()} px-2.5 max-[389px]:px-2`}
          aria-label={month ? tCalendar.nextMonth : tCalendar.nextWeek}
          onClick={() => advance(1)}
        >
          <Sign name="right" />
        </button>
      </div>
      <div role="group" aria-label={tCalendar.view} className="no-imprimir border-borde flex overflow-hidden rounded-sm border-2">
        {VIEWS.map((option) => (
          <button
            key={option.view}
            type="button"
            aria-pressed={view === option.view}
            onClick={() => viewAs(option.view)}
            className="aria-pressed:bg-texto aria-pressed:text-fondo bg-superficie min-h-11 px-4 max-[389px]:px-2 font-semibold focus-visible:outline-offset-[-4px]"
          >
            {option.text}
          </button>
        ))}
      </div>
    </div>
  )
}
