import { Imagen } from '../art/imagen'
import { SinGuion } from '../components/sin-guion'
import { calendario } from '../content/calendario'
import { Calendario } from '../features/calendario/calendario'
import { t } from '../i18n/es'
import { useHidratado } from '../lib/use-hidratado'

/** The calendar's room while nobody knows yet what day it is. */
function Hueco() {
  return (
    <div className="contenedor seccion min-h-[70rem] lg:min-h-[62rem]">
      <SinGuion texto={t.sinGuion.eventos} />
      <p role="status" className="solo-vivo">
        {t.eventos.cargando}
      </p>
      <div className="solo-vivo hueso mt-6 h-[30rem] w-full lg:w-2/3" />
    </div>
  )
}

/** /calendario: every event by month or week. */
export default function PaginaCalendario() {
  const hidratado = useHidratado()
  return (
    <>
      <Imagen slot="calendario-hero" priority className="portada" />
      <div className="contenedor pt-10 md:pt-14">
        <h1 className="titulo-1">{calendario.titulo}</h1>
        <p className="no-imprimir entrada mt-5">{calendario.entrada}</p>
      </div>
      {hidratado ? <Calendario /> : <Hueco />}
    </>
  )
}
