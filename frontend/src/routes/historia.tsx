import { Link } from '../components/link'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { historia } from '../content/historia'

const INKS = ['coral', 'sol', 'mar', 'rosa', 'hoja', 'coral'] as const

/** The beginnings, beside the founders' words. */
function Origin() {
  const { origin, appointment } = historia
  return (
    <div className="grid items-start gap-10 lg:grid-cols-2 lg:gap-16">
      <div className="max-w-prose">
        <p className="text-lg font-semibold">{origin.text}</p>
        <p className="mt-4">{origin.detail}</p>
      </div>
      <figure className="cartel cartel-mar">
        <blockquote className="font-titular text-2xl leading-snug font-extrabold lg:text-3xl">
          <p>«{appointment.text}»</p>
        </blockquote>
        <figcaption className="mt-4 font-semibold">{appointment.author}</figcaption>
      </figure>
    </div>
  )
}

/** The values, as four short cards. */
function ValuesSection() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
      {historia.values.list.map(({ name, text }) => (
        <li key={name} className="marco p-6">
          <h3 className="titulo-3">{name}</h3>
          <p className="mt-2">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** The gallery of six pictures (F-181). */
function Gallery() {
  const { tiles, note } = historia.gallery
  return (
    <>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-10 md:grid-cols-3 lg:gap-x-8">
        {tiles.map(({ slot, foot }, i) => (
          <li key={slot}>
            <figure>
              <Plate slot={slot} ink={INKS[i] ?? 'coral'} sizes="(min-width: 1024px) 373px, (min-width: 768px) 33vw, 50vw" />
              <figcaption className="mt-5">{foot}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
      <p className="text-suave mt-8 text-sm">{note}</p>
    </>
  )
}

/** /historia: the foundation's origin, its values and its gallery. */
export default function History() {
  return (
    <>
      <PageHeader title={historia.title} entry={historia.entry} image="cabecera-historia" />
      <Section title={historia.origin.title}>
        <Origin />
      </Section>
      <Section title={historia.values.title} className="pt-0">
        <ValuesSection />
      </Section>
      <Section title={historia.gallery.title} className="pt-0">
        <Gallery />
      </Section>
      <CallToAction title={historia.call.title} text={historia.call.text}>
        <Link className={buttonClasses('primario')} to="/donar">
          {historia.call.button}
        </Link>
      </CallToAction>
    </>
  )
}
