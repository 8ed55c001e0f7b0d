import { Link } from 'react-router-dom'
import { SlotImage } from '../art/slot-image'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { equipo } from '../content/equipo'

const INKS = ['coral', 'mar', 'rosa'] as const

/** The three directors (F-191). */
function Directors() {
  return (
    <ul className="grid gap-x-6 gap-y-12 sm:grid-cols-3 lg:gap-x-8">
      {equipo.directors.list.map(({ role, name, text, slot }, i) => (
        <li key={role}>
          <Plate slot={slot} ink={INKS[i] ?? 'coral'} sizes="(min-width: 1024px) 373px, 50vw" priority={i === 0} />
          <h3 className="titulo-3 mt-6">{role}</h3>
          <p className="text-suave">{name}</p>
          <p className="mt-1">{text}</p>
        </li>
      ))}
    </ul>
  )
}

/** The photo grid (F-190). */
function Group() {
  return (
    <>
      <p className="max-w-prose">{equipo.group.text}</p>
      <ul className="mt-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
        {equipo.group.tiles.map((slot) => (
          <li key={slot}>
            <SlotImage slot={slot} sizes="(min-width: 1024px) 290px, 50vw" className="border-borde h-auto w-full rounded-sm border-2" />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The four blocks of the philosophy (F-193). */
function Philosophy() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2">
      {equipo.philosophy.list.map(({ name, text }) => (
        <li key={name} className="marco p-6">
          <h3 className="titulo-3">{name}</h3>
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
      <Section title={equipo.group.title} className="pt-0">
        <Group />
      </Section>
      <Section title={equipo.philosophy.title} className="pt-0">
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
