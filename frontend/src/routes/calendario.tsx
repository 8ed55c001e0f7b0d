import { SlotImage } from '../art/slot-image'
import { NoScript } from '../components/no-script'
import { calendar } from '../content/calendario'
import { Calendar } from '../features/calendar/calendar'
import { t } from '../i18n/es'
import { useHydrated } from '../lib/use-hydrated'

/** The placeholder of the calendar until the date is known. */
function Gap() {
  return (
    <div className="contenedor calendario min-h-[70rem] lg:min-h-[62rem]">
      <NoScript text={t.noScript.events} />
      <div className="solo-vivo calendario-controles">
        <p role="status" className="titulo-2 font-titular">
          {t.events.loading}
        </p>
      </div>
      <div className="solo-vivo hueso h-[30rem] w-full lg:w-2/3" />
    </div>
  )
}

/** /calendario: every event by month or week. */
export default function CalendarPage() {
  const hydrated = useHydrated()
  return (
    <>
      <div className="portada-arte">
        <SlotImage slot="calendario-hero" priority className="portada" />
        <div className="contenedor">
          <div className="cartel-papel portada-cartel">
            <h1 className="titulo-1">{calendar.title}</h1>
            <p className="no-imprimir entrada mt-4">{calendar.entry}</p>
          </div>
        </div>
      </div>
      {hydrated ? <Calendar /> : <Gap />}
    </>
  )
}
