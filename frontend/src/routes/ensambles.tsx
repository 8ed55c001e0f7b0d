import { Link } from 'react-router-dom'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { CallToAction } from '../components/call-to-action'
import { Section } from '../components/section'
import { ensambles } from '../content/ensambles'
import { Concerts } from '../features/ensembles/concerts'
import { EnsembleCards } from '../features/ensembles/ensemble-cards'

/** /ensambles: the three ensembles, their concerts, how to reserve and how to join. */
export default function Ensembles() {
  const { reservations, audition } = ensambles
  return (
    <>
      <PageHeader title={ensambles.title} entry={ensambles.entry} image="cabecera-ensambles" />
      <Section title={ensambles.featured}>
        <EnsembleCards />
      </Section>
      <Section title={ensambles.upcoming} className="pt-0">
        <Concerts />
      </Section>
      <Section title={reservations.title} id="reservas" className="pt-0">
        <div className="cartel cartel-mar max-w-3xl">
          <p className="text-lg">{reservations.text}</p>
          <Link className="enlace-cartel mt-2 inline-flex min-h-11 items-center font-semibold" to={reservations.target}>
            {reservations.link}
          </Link>
        </div>
      </Section>
      <CallToAction title={audition.title} text={audition.text}>
        <Link className={buttonClasses('primario')} to={audition.target}>
          {audition.button}
        </Link>
      </CallToAction>
    </>
  )
}
