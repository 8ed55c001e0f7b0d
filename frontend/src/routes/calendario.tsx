import { Imagen } from '../art/imagen'
import { SinGuion } from '../components/sin-guion'
import { calendario } from '../content/calendario'
import { Calendario } from '../features/calendario/calendario'
import { t } from '../i18n/es'
import { useHidratado } from '../lib/use-hidratado'

/** The calendar's place while nobody knows yet what day it is. */
function Hueco() {
  return (
    <div className="contenedor calendario min-h-[70rem] lg:min-h-[62rem]">
      <SinGuion texto={t.sinGuion.eventos} />
      <div className="solo-vivo calendario-controles">
        <p role="status" className="titulo-2 font-titular">
          {t.eventos.cargando}
        </p>
      </div>
      <div className="solo-vivo hueso h-[30rem] w-full lg:w-2/3" />
    </div>
  )
}

/** /calendario: every event by month or week. */
export default function PaginaCalendario() {
  const hidratado = useHidratado()
  return (
    <>
      <div className="portada-arte">
        <Imagen slot="calendario-hero" priority className="portada" />
        <div className="contenedor">
          <div className="cartel-papel portada-cartel">
            <h1 className="titulo-1">{calendario.titulo}</h1>
            <p className="no-imprimir entrada mt-4">{calendario.entrada}</p>
          </div>
        </div>
      </div>
      {hidratado ? <Calendario /> : <Hueco />}
    </>
  )
}
