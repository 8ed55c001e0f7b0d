import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { donar } from '../content/donar'
import { sitio } from '../content/sitio'
import { DatosBancarios } from '../features/copy/datos-bancarios'

/** Giving by PayPal; its site opens only on this link (P-14). */
function PayPal() {
  const { paypal } = donar
  return (
    <section className="marco p-6 lg:col-start-1">
      <h2 className="titulo-3">{paypal.titulo}</h2>
      <p className="mt-2">{paypal.texto}</p>
      <a className={`${boton('primario')} con-direccion mt-5 self-start`} href={sitio.paypal} target="_blank" rel="noopener noreferrer">
        {paypal.boton}
        <span aria-hidden="true"> ↗</span>
      </a>
      <p className="no-imprimir text-suave mt-3 text-sm">{paypal.nota}</p>
    </section>
  )
}

/** Giving by bank transfer, and the receipt. */
function Transferencia() {
  const { transferencia, recibo } = donar
  return (
    <section className="marco p-6 lg:col-start-2 lg:row-span-2 lg:row-start-1">
      <h2 className="titulo-3">{transferencia.titulo}</h2>
      <p className="no-imprimir mt-2">{transferencia.texto}</p>
      <DatosBancarios banco={sitio.banco} />
      <h3 className="mt-6 font-semibold">{recibo.titulo}</h3>
      <p className="mt-1">
        {recibo.antes}
        <a className="enlace" href={`mailto:${sitio.correo}`}>
          {sitio.correo}
        </a>
        {recibo.despues}
      </p>
    </section>
  )
}

/** Giving things. */
function Especie() {
  const { especie } = donar
  return (
    <section className="marco p-6 lg:col-start-1">
      <h2 className="titulo-3">{especie.titulo}</h2>
      <p className="mt-2 font-semibold">{especie.texto}</p>
      <p className="mt-2">{especie.detalle}</p>
      <ul className="mt-4 space-y-1">
        <li>
          <a className="enlace inline-flex min-h-11 items-center" href={`mailto:${sitio.correo}`}>
            {sitio.correo}
          </a>
        </li>
        <li>
          <a className="enlace inline-flex min-h-11 items-center" href={sitio.telefonoEnlace}>
            {sitio.telefono}
          </a>
        </li>
      </ul>
    </section>
  )
}

/** /donar: three ways of giving, each complete in itself. */
export default function Donar() {
  const { destino } = donar
  return (
    <>
      <Encabezado titulo={donar.titulo} entrada={donar.entrada} imagen="tira-6" />
      <Seccion>
        <div className="grid gap-6 lg:grid-cols-2">
          <PayPal />
          <Transferencia />
          <Especie />
        </div>
      </Seccion>
      <Seccion titulo={destino.titulo} className="no-imprimir pt-0">
        <ul className="grid gap-6 md:grid-cols-3">
          {destino.lista.map((linea) => (
            <li key={linea} className="titulo-3 border-acento border-t-4 pt-4">
              {linea}
            </li>
          ))}
        </ul>
      </Seccion>
    </>
  )
}
