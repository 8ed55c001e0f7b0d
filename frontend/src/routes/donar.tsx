import { Imagen } from '../art/imagen'
import { Acordeon } from '../components/acordeon'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { donar } from '../content/donar'
import { sitio } from '../content/sitio'
import { DatosBancarios } from '../features/copy/datos-bancarios'

/** What an amount does, in numbers as large as what they do. */
function Efectos() {
  return (
    <ul className="grid gap-8 md:grid-cols-3">
      {donar.destino.efectos.map(({ monto, que, detalle }) => (
        <li key={monto} className="border-acento border-t-4 pt-4">
          <p className="font-titular text-acento text-4xl leading-none font-extrabold tracking-tight lg:text-5xl">{monto}</p>
          <h3 className="titulo-3 mt-3">{que}</h3>
          <p className="mt-2">{detalle}</p>
        </li>
      ))}
    </ul>
  )
}

/** One story of what giving does. */
function Historia() {
  const { historia } = donar
  return (
    <figure className="cartel cartel-mar grid gap-8 md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] md:items-center">
      <div>
        <h2 className="text-lg font-semibold">{historia.titulo}</h2>
        <blockquote className="font-titular mt-4 text-2xl leading-snug font-bold lg:text-[1.75rem]">
          <p>«{historia.texto}»</p>
        </blockquote>
        <figcaption className="mt-5 font-semibold">{historia.quien}</figcaption>
      </div>
      <Imagen
        slot="tira-6"
        decorativa
        sizes="(min-width: 768px) 340px, 100vw"
        className="h-auto w-full rounded-sm border-3 border-[#0b3c49]"
      />
    </figure>
  )
}

/** Giving by PayPal; its site opens only on this link (P-14). */
function PayPal() {
  const { paypal } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{paypal.titulo}</h3>
      <p className="mt-2">{paypal.texto}</p>
      <ol className="no-imprimir pasos my-5 grow content-evenly">
        {paypal.pasos.map((paso) => (
          <li key={paso}>{paso}</li>
        ))}
      </ol>
      <a className={`${boton('primario')} con-direccion`} href={sitio.paypal} target="_blank" rel="noopener noreferrer">
        {paypal.boton}
        <span aria-hidden="true"> ↗</span>
      </a>
      <p className="no-imprimir text-suave mt-3 text-sm">{paypal.nota}</p>
    </section>
  )
}

/** Giving by bank transfer. */
function Transferencia() {
  const { transferencia } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{transferencia.titulo}</h3>
      <p className="no-imprimir mt-2">{transferencia.texto}</p>
      <DatosBancarios banco={sitio.banco} />
    </section>
  )
}

/** Giving things. */
function Especie() {
  const { especie } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{especie.titulo}</h3>
      <p className="mt-2 font-semibold">{especie.texto}</p>
      <p className="mt-2">{especie.detalle}</p>
      <h4 className="no-imprimir text-suave mt-5 font-sans text-sm tracking-normal">{especie.falta}</h4>
      <ul className="no-imprimir divide-linea mt-1 grid grow content-evenly divide-y">
        {especie.lista.map((cosa) => (
          <li key={cosa} className="py-2">
            {cosa}
          </li>
        ))}
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-6">
        <a className="enlace inline-flex min-h-11 items-center" href={`mailto:${sitio.correo}`}>
          {sitio.correo}
        </a>
        <a className="enlace inline-flex min-h-11 items-center" href={sitio.telefonoEnlace}>
          {sitio.telefono}
        </a>
      </p>
    </section>
  )
}

/** The receipt, and somebody to ask. */
function Recibo() {
  const { recibo, dudas } = donar
  return (
    <div className="grid gap-8 self-start lg:sticky lg:top-24">
      <section>
        <h2 className="titulo-2">{recibo.titulo}</h2>
        <p className="mt-3">
          {recibo.antes}
          <a className="enlace" href={`mailto:${sitio.correo}?subject=${encodeURIComponent(recibo.asunto)}`}>
            {sitio.correo}
          </a>
          {recibo.despues}
        </p>
      </section>
      <section className="no-imprimir">
        <h2 className="titulo-3">{dudas.titulo}</h2>
        <p className="mt-2 mb-4">{dudas.texto}</p>
        <a className={boton()} href={sitio.whatsappEnlace} target="_blank" rel="noopener noreferrer">
          {dudas.whatsapp}
          <span aria-hidden="true"> ↗</span>
        </a>
      </section>
    </div>
  )
}

/** /donar: what an amount does, three ways of giving as equals, a story, the receipt and questions. */
export default function Donar() {
  const { destino, preguntas } = donar
  return (
    <>
      <Encabezado titulo={donar.titulo} entrada={donar.entrada} imagen="cabecera-donar">
        <a href="#metodos" className={`${boton('primario')} no-imprimir`}>
          {donar.elegir}
        </a>
      </Encabezado>
      <Seccion titulo={destino.titulo} className="no-imprimir">
        <Efectos />
      </Seccion>
      <Seccion titulo={donar.metodos} id="metodos" className="bg-banda border-linea border-y-2">
        <div className="grid gap-6 lg:grid-cols-3">
          <PayPal />
          <Transferencia />
          <Especie />
        </div>
      </Seccion>
      <Seccion className="no-imprimir">
        <Historia />
      </Seccion>
      <Seccion className="pt-0">
        <div className="grid gap-12 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)] lg:gap-16">
          <Recibo />
          <section aria-labelledby="titulo-preguntas" className="no-imprimir">
            <h2 id="titulo-preguntas" className="titulo-2 mb-6">
              {preguntas.titulo}
            </h2>
            <Acordeon nombre="donar" preguntas={preguntas.lista} />
          </section>
        </div>
      </Seccion>
    </>
  )
}
