import { Link } from '../../components/link'
import { buttonClasses } from '../../components/button-classes'
import { type Program, programas } from '../../content/programas'

/** The details of a program, each under its name. */
export function ProgramDetails({ program }: { program: Program }) {
  return (
    <dl className="grid gap-5">
      {program.details.map(({ name, text }) => (
        <div key={name}>
          <dt className="text-acento font-semibold">{name}</dt>
          <dd className="mt-1">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A link to the contact form with the program as its subject. */
export function EnrolLink({ program }: { program: Program }) {
  return (
    <Link className={buttonClasses('primario')} to={`/contacto?asunto=${encodeURIComponent(`${programas.subject} ${program.title}`)}`}>
      {programas.enrol}
    </Link>
  )
}
