import { Sign } from '../../components/sign'
import { useEffect, useState } from 'react'
import { SlotImage } from '../../art/slot-image'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { useCarousel, turnaround } from './use-carousel'

const BUTTON_CLASSES = 'text-texto grid size-11 place-items-center rounded-sm hover:bg-banda'

/** When the other five images are loaded: after everything that the page itself needs, and before their turn. */
const REST_MS = 3500

/** Whether the first image has been shown long enough. */
function useRest(): boolean {
  const [arriving, setArriving] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setArriving(true), REST_MS)
    return () => clearTimeout(timer)
  }, [])
  return arriving
}

/** The six images, of which one is visible. The others fade in over it. */
function Slides({ index }: { index: number }) {
  const rest = useRest()
  const { gallery } = inicio
  return gallery.map((slot, i) => (
    <div
      key={slot}
      role="group"
      aria-roledescription={t.gallery.slide}
      aria-label={t.gallery.position(i + 1, gallery.length)}
      className={`absolute inset-0 transition-opacity duration-500 ${i === index ? 'opacity-100' : 'opacity-0'}`}
    >
      {i === 0 || rest || i === index || (i === turnaround(index, 1, gallery.length) && index > 0) ? (
        <SlotImage slot={slot} priority={i === 0} className="galeria-imagen size-full object-cover" />
      ) : null}
    </div>
  ))
}

/** The hero carousel (F-100, F-101; APG carousel). */
export function Gallery() {
  const { gallery } = inicio
  const { index, pausedNow, goTo, toggle, watch, gesture } = useCarousel(gallery.length)
  return (
    <section aria-roledescription={t.gallery.carousel} aria-label={t.gallery.label} className="galeria" {...watch} {...gesture}>
      <div className="galeria-marco">
        <Slides index={index} />
      </div>
      <div className="galeria-mandos">
        <div className="flex">
          {gallery.map((slot, i) => (
            <button
              key={slot}
              type="button"
              aria-label={t.gallery.goTo(i + 1)}
              aria-current={i === index || undefined}
              onClick={() => goTo(i)}
              className="group grid h-11 w-6 place-items-center sm:w-8"
            >
              <span className="border-borde group-aria-[current]:bg-accion block size-3 rounded-full border-2" />
            </button>
          ))}
        </div>
        <div className="flex items-center gap-1">
          <button
            type="button"
            aria-label={t.gallery.previous}
            onClick={() => goTo(turnaround(index, -1, gallery.length))}
            className={BUTTON_CLASSES}
          >
            <Sign name="left" />
          </button>
          <button type="button" onClick={toggle} className={`${BUTTON_CLASSES} w-auto min-w-11 grid-flow-col gap-1 px-2 font-semibold`}>
            {pausedNow ? <Sign name="play" size={18} /> : <Sign name="pause" size={18} />}
            <span className="max-sm:sr-only">{pausedNow ? t.common.resume : t.common.pauseLabel}</span>
          </button>
          <button
            type="button"
            aria-label={t.gallery.next}
            onClick={() => goTo(turnaround(index, 1, gallery.length))}
            className={BUTTON_CLASSES}
          >
            <Sign name="right" />
          </button>
        </div>
      </div>
    </section>
  )
}
