import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { CallToAction } from '../components/call-to-action'
import { PageHeader } from '../components/page-header'
import { Section } from '../components/section'
import { Steps } from '../components/steps'
import { impacto } from '../content/impacto'
import { Effects } from '../features/donate/effects'
import { Counts } from '../features/impact/counts'
import { PageLink } from '../layout/page-link'

/** /impacto: the figures of the foundation's work, what a donation does, and how the figures are made. */
export default function Impact() {
  const { counts, effects, method, call } = impacto
  return (
    <>
      <PageHeader title={impacto.title} entry={impacto.entry} image="cabecera-impacto" />
      <Section title={counts.title} className="bg-banda border-linea border-b-2">
        <Counts />
      </Section>
      <Section title={effects.title}>
        <Effects />
      </Section>
      <Section title={method.title} className="pt-0">
        <div className="grid items-center gap-10 md:grid-cols-2 md:gap-16">
          <Steps steps={method.steps} />
          <Plate slot="equipo-grupo-1" ink="sol" sizes="(min-width: 768px) 560px, 100vw" />
        </div>
      </Section>
      <CallToAction title={call.title} text={call.text}>
        <PageLink className={buttonClasses('primario')} to="/donar">
          {call.button}
        </PageLink>
      </CallToAction>
    </>
  )
}
