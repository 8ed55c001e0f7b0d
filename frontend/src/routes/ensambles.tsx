import { Link } from '../components/link'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { ensambles } from '../content/ensambles'
import { Concerts } from '../features/ensembles/concerts'
import { EnsembleCards } from '../features/ensembles/ensemble-cards'

/** How to reserve: the target of «Reservar →» (D-15). */
function Reservations() {
  const { title, text, link, target } = ensambles.reservations
  return (
    <section id="reservas" aria-labelledby="titulo-reservas" className="seccion pt-0">
      <div className="contenedor">
        <div className="cartel cartel-mar flex flex-col items-start gap-6 md:flex-row md:items-center md:justify-between md:gap-12">
          <div>
            <h2 id="titulo-reservas" className="titulo-2">
              {title}
            </h2>
            <p className="mt-3 max-w-prose text-lg">{text}</p>
          </div>
          <Link className={`${buttonClasses()} shrink-0`} to={target}>
            {link}
          </Link>
        </div>
      </div>
    </section>
  )
}

/** /ensambles: the three ensembles, their concerts, how to reserve and how to join. */
export default function Ensembles() {
  const { audition } = ensambles
  return (
    <>
      <PageHeader title={ensambles.title} entry={ensambles.entry} image="cabecera-ensambles" />
      <Section title={ensambles.featured}>
        <EnsembleCards />
      </Section>
      <Section title={ensambles.upcoming} className="pt-0">
        <Concerts />
      </Section>
      <Reservations />
      <CallToAction title={audition.title} text={audition.text}>
        <Link className={buttonClasses('primario')} to={audition.target}>
          {audition.button}
        </Link>
      </CallToAction>
    </>
  )
}
