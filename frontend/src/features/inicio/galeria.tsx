import { Signo } from '../../components/signo'
import { useEffect, useState } from 'react'
import { Imagen } from '../../art/imagen'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { useCarrusel, vuelta } from './use-carrusel'

const BOTON = 'border-borde bg-superficie text-texto grid size-11 place-items-center rounded-sm border-2 hover:bg-banda'

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
      className="galeria border-borde relative w-full touch-pan-y overflow-hidden border-b-2"
      {...vigilancia}
      {...gesto}
    >
      <Diapositivas indice={indice} />
      <div className="contenedor absolute inset-x-0 bottom-7 md:max-lg:bottom-14 lg:bottom-4 flex items-center justify-end gap-2">
        <div className="border-borde bg-superficie flex rounded-sm border-2 px-1">
          {galeria.map((slot, i) => (
            <button
              key={slot}
              type="button"
              aria-label={t.galeria.irA(i + 1)}
              aria-current={i === indice || undefined}
              onClick={() => ir(i)}
              className="group grid h-10 w-6 place-items-center sm:w-7"
            >
              <span className="border-borde group-aria-[current]:bg-accion block size-3 rounded-full border-2" />
            </button>
          ))}
        </div>
        <button type="button" aria-label={t.galeria.anterior} onClick={() => ir(vuelta(indice, -1, galeria.length))} className={BOTON}>
          <Signo nombre="izquierda" />
        </button>
        <button type="button" onClick={alternar} className={`${BOTON} w-auto min-w-11 grid-flow-col gap-1 px-2 font-semibold`}>
          {pausado ? <Signo nombre="marcha" talla={18} /> : <Signo nombre="pausa" talla={18} />}
          <span className="max-sm:sr-only">{pausado ? t.comun.reanudar : t.comun.pausar}</span>
        </button>
        <button type="button" aria-label={t.galeria.siguiente} onClick={() => ir(vuelta(indice, 1, galeria.length))} className={BOTON}>
          <Signo nombre="derecha" />
        </button>
      </div>
    </section>
  )
}
