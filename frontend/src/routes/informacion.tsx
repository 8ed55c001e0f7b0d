import { Link } from '../components/link'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { acerca } from '../content/acerca'
import { ValueScale } from '../features/values/value-scale'

/** The foundation's purpose and its first work. */
function Purpose() {
  const { objective, project } = acerca
  return (
    <div className="grid items-center gap-10 md:grid-cols-2 lg:gap-16">
      <div className="flex flex-col gap-10">
        {[objective, project].map(({ title, text, detail }) => (
          <section key={title} className="max-w-prose">
            <h2 className="titulo-2">{title}</h2>
            <p className="mt-4 text-lg font-semibold">{text}</p>
            <p className="mt-3">{detail}</p>
          </section>
        ))}
      </div>
      <Plate slot="acerca-1" ink="sol" sizes="(min-width: 1024px) 560px, (min-width: 768px) 50vw, 100vw" priority />
    </div>
  )
}

/** Mission and vision, side by side as two posters. */
function MissionAndVision() {
  const posters = [
    { ...acerca.mission, className: 'cartel-mar' },
    { ...acerca.vision, className: 'cartel-sol' },
  ]
  return (
    <div className="grid gap-6 md:grid-cols-2">
      {posters.map(({ title, text, className }) => (
        <section key={title} className={`cartel ${className}`}>
          <h2 className="text-lg font-semibold">{title}</h2>
          <p className="font-titular mt-4 text-xl leading-snug font-bold lg:text-2xl">{text}</p>
        </section>
      ))}
    </div>
  )
}

/** The columns of six that each program spans. The second one, with its instruments, spans the most. */
const SPANS = ['md:col-span-2', 'md:col-span-4', 'md:col-span-3', 'md:col-span-3']

/** The four programs of the school (F-142). */
function Programs() {
  const { programas } = acerca
  return (
    <>
      <ul className="grid gap-6 md:grid-cols-6">
        {programas.list.map((program, i) => (
          <li key={program.name} className={`marco p-6 ${SPANS[i]}`}>
            <p className="etiqueta">{program.ages}</p>
            <h3 className="titulo-3 mt-3">{program.name}</h3>
            <p className="mt-2">{program.text}</p>
            {'instrumentos' in program ? (
              <ul className="mt-4 flex flex-wrap gap-2">
                {program.instrumentos.map((instrument) => (
                  <li key={instrument} className="ficha">
                    {instrument}
                  </li>
                ))}
              </ul>
            ) : null}
          </li>
        ))}
      </ul>
      <p className="mt-8 flex flex-wrap gap-x-8 gap-y-3">
        <Link className="enlace" to="/instrumentos">
          {programas.instrumentsLink}
        </Link>
        <Link className="enlace" to="/ensambles">
          {programas.ensemblesLink}
        </Link>
        <Link className="enlace" to="/impacto">
          {programas.impactLink}
        </Link>
      </p>
    </>
  )
}

/** /informacion: purpose, mission, vision, values and programs. */
export default function About() {
  return (
    <>
      <PageHeader title={acerca.title} entry={acerca.entry} image="cabecera-informacion" />
      <Section>
        <Purpose />
      </Section>
      <Section className="pt-0">
        <MissionAndVision />
      </Section>
      <Section title={acerca.values.title} className="pt-0">
        <ValueScale />
      </Section>
      <Section title={acerca.programas.title} className="pt-0">
        <Programs />
      </Section>
      <CallToAction title={acerca.call.title} text={acerca.call.text}>
        <Link className={buttonClasses('primario')} to="/donar">
          {acerca.call.button}
        </Link>
      </CallToAction>
    </>
  )
}
