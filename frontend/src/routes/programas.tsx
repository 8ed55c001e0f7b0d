import { Link } from '../components/link'
import { PageHeader } from '../components/page-header'
import { Section } from '../components/section'
import { programas } from '../content/programas'
import { FeaturedPrograms } from '../features/program-dialog/featured-programs'

/** The two links at the end: for musicians and for beginners. */
function NextEvents() {
  const paths = [
    { ...programas.ensambles, a: '/ensambles', className: 'cartel-mar' },
    { ...programas.instrumentos, a: '/instrumentos', className: 'cartel-sol' },
  ]
  return (
    <div className="grid gap-6 md:grid-cols-2">
      {paths.map(({ title, text, link, a, className }) => (
        <section key={a} className={`cartel flex flex-col items-start ${className}`}>
          <h2 className="titulo-3">{title}</h2>
          <p className="mt-3">{text}</p>
          <Link className="enlace-cartel mt-auto inline-flex min-h-11 items-center pt-3 font-semibold" to={a}>
            {link}
          </Link>
        </section>
      ))}
    </div>
  )
}

/** /programas: the three featured programs. */
export default function Programs() {
  return (
    <>
      <PageHeader title={programas.title} entry={programas.entry} image="cabecera-programas" />
      <Section title={programas.featured}>
        <FeaturedPrograms />
      </Section>
      <Section className="pt-0">
        <NextEvents />
      </Section>
    </>
  )
}
