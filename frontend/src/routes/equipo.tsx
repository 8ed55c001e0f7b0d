import { Link } from '../components/link'
import { SlotImage } from '../art/slot-image'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { equipo } from '../content/equipo'

const INKS = ['coral', 'mar', 'rosa'] as const

/** The three directors (F-191): the first one's card is as tall as the two others beside it. */
function Directors() {
  const { text, list, unnamed } = equipo.directors
  return (
    <>
      <p className="entrada mb-8">{text}</p>
      <ul className="directoras">
        {list.map(({ role, name, text: duty, talk, slot }, i) => (
          <li key={role} className={`directora lamina lamina-${INKS[i] ?? 'coral'}`}>
            <SlotImage slot={slot} sizes="(min-width: 1024px) 560px, 40vw" priority={i === 0} className="directora-imagen" />
            <div className="directora-texto">
              <h3 className="titulo-3">{role}</h3>
              {name === null ? null : <p className="font-semibold">{name}</p>}
              <p className="mt-2">{duty}</p>
              <Link className="enlace mt-1 inline-block py-2.5 font-semibold" to={`/contacto?asunto=${encodeURIComponent(talk.subject)}`}>
                {talk.text}
                <span aria-hidden="true">{'\u00a0→'}</span>
              </Link>
            </div>
          </li>
        ))}
      </ul>
      {list.some(({ name }) => name === null) ? <p className="text-suave mt-6 text-sm">{unnamed}</p> : null}
    </>
  )
}

/** The photo grid (F-190). */
function Group() {
  return (
    <>
      <p className="max-w-prose">{equipo.group.text}</p>
      <ul className="mt-8 grid grid-cols-2 gap-x-4 gap-y-6 lg:grid-cols-4">
        {equipo.group.tiles.map(({ slot, text }) => (
          <li key={slot}>
            <figure>
              <SlotImage slot={slot} sizes="(min-width: 1024px) 290px, 50vw" className="border-borde h-auto w-full rounded-sm border-2" />
              <figcaption className="mt-2 text-[0.9375rem] leading-snug font-semibold text-balance">{text}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The four blocks of the philosophy (F-193), each with its musical direction. */
function Philosophy() {
  return (
    <ul className="grid gap-x-8 gap-y-10 sm:grid-cols-2 lg:grid-cols-4">
      {equipo.philosophy.list.map(({ name, mark, text }) => (
        <li key={name} className="tarjeta">
          <p lang="it" className="font-titular text-acento text-xl italic">
            {mark}
          </p>
          <h3 className="titulo-3 mt-3">{name}</h3>
          <p className="mt-2">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** /equipo: the directors, their way of working and their values. */
export default function Team() {
  return (
    <>
      <PageHeader title={equipo.title} entry={equipo.entry} image="cabecera-equipo" />
      <Section title={equipo.directors.title}>
        <Directors />
      </Section>
      <Section title={equipo.group.title} className="bg-banda border-linea border-y-2">
        <Group />
      </Section>
      <Section title={equipo.philosophy.title}>
        <Philosophy />
      </Section>
      <CallToAction title={equipo.call.title} text={equipo.call.text}>
        <Link className={buttonClasses('primario')} to="/contacto">
          {equipo.call.button}
        </Link>
      </CallToAction>
    </>
  )
}
