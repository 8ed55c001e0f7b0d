import { Signo } from '../../components/signo'
import { useEffect, useState } from 'react'
import { Imagen } from '../../art/imagen'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { useCarrusel, vuelta } from './use-carrusel'

const BOTON = 'text-texto grid size-11 place-items-center rounded-sm hover:bg-banda'

/** When the other five images are fetched: after everything that the page itself needs, before their turn. */
const RESTO_MS = 3500

/** Whether the first image has had its time. */
function useResto(): boolean {
  const [llegan, setLlegan] = useState(false)
  useEffect(() => {
    const reloj = setTimeout(() => setLlegan(true), RESTO_MS)
    return () => clearTimeout(reloj)
  }, [])
  return llegan
}

/** The six images, one in sight; the others fade in over it. */
function Diapositivas({ indice }: { indice: number }) {
  const resto = useResto()
  const { galeria } = inicio
  return galeria.map((slot, i) => (
    <div
      key={slot}
      role="group"
      aria-roledescription={t.galeria.diapositiva}
      aria-label={t.galeria.posicion(i + 1, galeria.length)}
      className={`absolute inset-0 transition-opacity duration-500 ${i === indice ? 'opacity-100' : 'opacity-0'}`}
    >
      {i === 0 || resto || i === indice || (i === vuelta(indice, 1, galeria.length) && indice > 0) ? (
        <Imagen slot={slot} priority={i === 0} className="galeria-imagen size-full object-cover" />
      ) : null}
    </div>
  ))
}

/** The hero carousel (F-100, F-101; APG carousel). */
export function Galeria() {
  const { galeria } = inicio
  const { indice, pausado, ir, alternar, vigilancia, gesto } = useCarrusel(galeria.length)
  return (
    <section
      aria-roledescription={t.galeria.carrusel}
      aria-label={t.galeria.etiqueta}
      className="galeria touch-pan-y"
      {...vigilancia}
      {...gesto}
    >
      <div className="galeria-marco">
        <Diapositivas indice={indice} />
      </div>
      <div className="galeria-mandos">
        <div className="flex">
          {galeria.map((slot, i) => (
            <button
              key={slot}
              type="button"
              aria-label={t.galeria.irA(i + 1)}
              aria-current={i === indice || undefined}
              onClick={() => ir(i)}
              className="group grid h-11 w-7 place-items-center sm:w-8"
            >
              <span className="border-borde group-aria-[current]:bg-accion block size-3 rounded-full border-2" />
            </button>
          ))}
        </div>
        <div className="flex items-center gap-1">
          <button
            type="button"
            aria-label={t.galeria.anterior}
            onClick={() => ir(vuelta(indice, -1, galeria.length))}
            className={`${BOTON} max-sm:hidden`}
          >
            <Signo nombre="izquierda" />
          </button>
          <button type="button" onClick={alternar} className={`${BOTON} w-auto min-w-11 grid-flow-col gap-1 px-2 font-semibold`}>
            {pausado ? <Signo nombre="marcha" talla={18} /> : <Signo nombre="pausa" talla={18} />}
            <span className="max-sm:sr-only">{pausado ? t.comun.reanudar : t.comun.pausar}</span>
          </button>
          <button
            type="button"
            aria-label={t.galeria.siguiente}
            onClick={() => ir(vuelta(indice, 1, galeria.length))}
            className={`${BOTON} max-sm:hidden`}
          >
            <Signo nombre="derecha" />
          </button>
        </div>
      </div>
    </section>
  )
}
