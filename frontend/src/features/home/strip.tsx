import { Sign } from '../../components/sign'
import { useState } from 'react'
import { SlotImage } from '../../art/slot-image'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { useReducedMotion } from '../../lib/use-motion'
import { useNear } from '../../lib/use-near'

/** One run of the ten pictures. The copy that closes the loop is hidden from screen readers. */
function Photos({ copy }: { copy: boolean }) {
  return (
    <ul className="cinta-fotos" aria-hidden={copy || undefined}>
      {inicio.strip.photos.map((slot) => (
        <li key={slot}>
          <SlotImage slot={slot} decorative={copy} sizes="320px" className="cinta-foto" />
        </li>
      ))}
    </ul>
  )
}

/** The looping strip of ten pictures, with a cycle of thirty seconds (F-109). With reduced motion it is a scrollable row. */
export function Strip() {
  const [paused, setPaused] = useState(false)
  const reducedMotion = useReducedMotion()
  const { near, ref } = useNear<HTMLDivElement>()
  return (
    <section aria-labelledby="titulo-cinta" className="seccion">
      <div className="contenedor mb-8 flex flex-wrap items-center justify-between gap-4">
        <h2 id="titulo-cinta" className="titulo-2">
          {inicio.strip.title}
        </h2>
        {reducedMotion ? null : (
          <button type="button" onClick={() => setPaused(!paused)} className="boton gap-1 px-3">
            {paused ? <Sign name="play" size={18} /> : <Sign name="pause" size={18} />}
            <span>
              {paused ? t.common.resume : t.common.pauseLabel}
              <span className="sr-only">{t.gallery.ofStrip}</span>
            </span>
          </button>
        )}
      </div>
      {/* A scrollable row must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={ref} role="group" aria-label={t.gallery.strip} tabIndex={0} className="cinta" data-pausada={paused} data-cerca={near}>
        <div className="cinta-pista">
          <Photos copy={false} />
          {reducedMotion ? null : <Photos copy />}
        </div>
      </div>
    </section>
  )
}
