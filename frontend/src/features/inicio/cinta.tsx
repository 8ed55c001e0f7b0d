import { Signo } from '../../components/signo'
import { useState } from 'react'
import { Imagen } from '../../art/imagen'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { usePocoMovimiento } from '../../lib/use-movimiento'

/** One run of the ten pictures; the copy that closes the loop is for the eyes only. */
function Fotos({ copia }: { copia: boolean }) {
  return (
    <ul className="cinta-fotos" aria-hidden={copia || undefined}>
      {inicio.cinta.fotos.map((slot) => (
        <li key={slot}>
          <Imagen slot={slot} decorativa={copia} sizes="320px" className="cinta-foto" />
        </li>
      ))}
    </ul>
  )
}

/** The looping strip of ten pictures, thirty seconds a cycle (F-109); a scrollable row for who wants less motion. */
export function Cinta() {
  const [pausada, setPausada] = useState(false)
  const pocoMovimiento = usePocoMovimiento()
  return (
    <section aria-labelledby="titulo-cinta" className="seccion">
      <div className="contenedor mb-8 flex flex-wrap items-center justify-between gap-4">
        <h2 id="titulo-cinta" className="titulo-2">
          {inicio.cinta.titulo}
        </h2>
        {pocoMovimiento ? null : (
          <button type="button" onClick={() => setPausada(!pausada)} className="boton gap-1 px-3">
            {pausada ? <Signo nombre="marcha" talla={18} /> : <Signo nombre="pausa" talla={18} />}
            <span>
              {pausada ? t.comun.reanudar : t.comun.pausar}
              <span className="sr-only">{t.galeria.deLaCinta}</span>
            </span>
          </button>
        )}
      </div>
      {/* A row that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={t.galeria.cinta} tabIndex={0} className="cinta" data-pausada={pausada}>
        <div className="cinta-pista">
          <Fotos copia={false} />
          {pocoMovimiento ? null : <Fotos copia />}
        </div>
      </div>
    </section>
  )
}
