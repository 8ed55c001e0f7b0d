import { useLocation } from 'react-router-dom'
import { Plate } from '../art/plate'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { programas } from '../content/programas'
import { EnrolLink } from '../features/program-dialog/program-details'
import { PageLink } from '../layout/page-link'
import { idOf } from '../paths'

const { list } = programas

/** The other programs, as links beside their pictures. */
function Others({ id }: { id: string }) {
  return (
    <ul className="grid gap-8 sm:grid-cols-2">
      {list.map((program, i) =>
        program.id === id ? null : (
          <li key={program.id} className="relative grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)] items-center gap-5">
            <Plate slot={program.slot} ink={i % 2 ? 'mar' : 'coral'} sizes="190px" />
            <div>
              <h3 className="titulo-3">
                <PageLink to={`/programas/${program.id}`} className="enlace-titulo estirado underline decoration-2 underline-offset-4">
                  {program.title}
                </PageLink>
              </h3>
              <p className="mt-1">{program.description}</p>
            </div>
          </li>
        ),
      )}
    </ul>
  )
}

/** /programas/:id: a program and its details. */
export default function ProgramPage() {
  const id = idOf(useLocation().pathname)
  const program = list.find((one) => one.id === id) ?? list[0]
  if (!program) return null
  const { title, description, detail, slot, details } = program
  return (
    <>
      <div className="cabecera">
        <div className="contenedor grid items-center gap-8 py-9 md:grid-cols-2 md:gap-14 md:py-14">
          <div>
            <PageLink to="/programas" className="enlace inline-flex min-h-11 items-center">
              ← {programas.back}
            </PageLink>
            <h1 className="titulo-1 mt-2">{title}</h1>
            <p className="entrada mt-5">{description}</p>
            <p className="etiqueta bg-superficie mt-6 inline-block">{detail}</p>
          </div>
          <Plate slot={slot} ink="coral" sizes="(min-width: 768px) 560px, 100vw" priority />
        </div>
      </div>
      <Section>
        <div className="grid gap-8 md:grid-cols-3 md:gap-10">
          {details.map(({ name, text }) => (
            <section key={name} className="tarjeta">
              <h2 className="titulo-3">{name}</h2>
              <p className="mt-3">{text}</p>
            </section>
          ))}
        </div>
      </Section>
      <CallToAction title={programas.call.title} text={programas.call.text}>
        <EnrolLink program={program} />
      </CallToAction>
      <Section title={programas.others}>
        <Others id={program.id} />
      </Section>
    </>
  )
}
