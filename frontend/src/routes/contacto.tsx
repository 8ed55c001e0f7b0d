import { Encabezado } from '../components/encabezado'
import { contacto } from '../content/contacto'
import { FormularioContacto } from '../features/contacto/formulario-contacto'
import { Mapa } from '../features/contacto/mapa'
import { Tarjetas } from '../features/contacto/tarjetas'

/** /contacto: every way to reach the foundation. */
export default function Contacto() {
  return (
    <>
      <Encabezado titulo={contacto.titulo} entrada={contacto.entrada} imagen="cabecera-contacto" />
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <section aria-labelledby="titulo-formulario">
          <h2 id="titulo-formulario" className="titulo-2 mb-6">
            {contacto.formulario}
          </h2>
          <FormularioContacto />
        </section>
        <section aria-labelledby="titulo-datos" className="self-start lg:sticky lg:top-24">
          <h2 id="titulo-datos" className="titulo-2 mb-6">
            {contacto.datos}
          </h2>
          <Tarjetas />
        </section>
      </div>
      <Mapa />
    </>
  )
}
