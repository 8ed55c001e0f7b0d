import { InstrumentIcon } from '../art/instrument-icon'
import { SlotImage } from '../art/slot-image'
import { buttonClasses } from '../components/button-classes'
import { Questions } from '../components/questions'
import { Section } from '../components/section'
import { Steps } from '../components/steps'
import { instrumentos } from '../content/instrumentos'
import { Talk } from '../features/contact/talk'
import { InstrumentForm } from '../features/instruments/instrument-form'
import { suggest } from '../features/instruments/suggest'

/** The seven instruments in one list. The last card is wide (D-03). A card is a link to the form and writes its instrument into it. */
function Catalogue() {
  return (
    <ul className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
      {instrumentos.list.map(({ icon, name, text }, i) => (
        <li key={icon} className="marco tarjeta-viva flex-row items-start gap-5 p-4 last:sm:col-span-2 last:lg:col-span-3">
          <InstrumentIcon name={icon} className="size-20 shrink-0" />
          <div className="pt-1">
            <h3 className="titulo-3">
              <a href="#solicitud" className="enlace-titulo estirado" onClick={() => suggest(name)}>
                {name}
              </a>
            </h3>
            <p className="mt-1">{text}</p>
          </div>
          {i === instrumentos.list.length - 1 ? <span aria-hidden="true" className="ritmo" /> : null}
        </li>
      ))}
    </ul>
  )
}

/** The things included with an instrument (F-222). */
function DetailsSection() {
  return (
    <ul className="grid gap-6 md:grid-cols-3">
      {instrumentos.details.list.map(({ name, text }) => (
        <li key={name} className="tarjeta">
          <h3 className="titulo-3">{name}</h3>
          <p className="mt-2">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** /instrumentos: the instruments taught, and how to borrow one. */
export default function Instruments() {
  const { introduction, catalogue, details, questions, form, doubts } = instrumentos
  return (
    <>
      <div className="portada-arte">
        <SlotImage slot="instrumentos-hero" priority className="portada" />
        <div className="contenedor">
          <div className="cartel-papel portada-cartel portada-cartel-bajo">
            <h1 className="titulo-1">{instrumentos.title}</h1>
            <p className="entrada mt-4">{instrumentos.entry}</p>
            <a href="#solicitud" className={`${buttonClasses('primario')} mt-5`}>
              {instrumentos.ask}
            </a>
          </div>
        </div>
      </div>
      <Section>
        <div className="lg:grid lg:grid-cols-[minmax(0,1fr)_minmax(0,3fr)] lg:gap-10">
          <section aria-labelledby="titulo-introduccion" className="self-start lg:sticky lg:top-24">
            <h2 id="titulo-introduccion" className="titulo-2">
              {introduction.title}
            </h2>
            <Steps steps={introduction.steps} className="mt-6 mb-8 lg:mb-0" />
          </section>
          <section aria-labelledby="titulo-catalogo">
            <h2 id="titulo-catalogo" className="titulo-2 mb-6">
              {catalogue}
            </h2>
            <Catalogue />
          </section>
        </div>
      </Section>
      <Section title={details.title} className="bg-banda border-linea border-y-2">
        <DetailsSection />
      </Section>
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <div className="grid gap-12 self-start lg:sticky lg:top-24">
          <Questions name="instrumentos" questions={questions} />
          <Talk title={doubts.title} text={doubts.text} button={doubts.whatsapp} />
        </div>
        <section id="solicitud" aria-labelledby="titulo-solicitud" className="hoja self-start">
          <h2 id="titulo-solicitud" className="titulo-2">
            {form.title}
          </h2>
          <p className="mt-3 mb-6">{form.text}</p>
          <InstrumentForm />
        </section>
      </div>
    </>
  )
}
