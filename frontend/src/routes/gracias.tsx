import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { Section } from '../components/section'
import { ShareButton } from '../components/share-button'
import { donar } from '../content/donar'
import { gracias } from '../content/gracias'
import { site } from '../content/sitio'
import { ExternalLink } from '../features/events/event-parts'
import { PageLink } from '../layout/page-link'
import { useHydrated } from '../lib/use-hydrated'

const { next, share } = gracias

/** The links of a step. */
function Links({ of }: { of: 'proof' | 'calendar' }) {
  return of === 'proof' ? (
    <div className="mt-4 flex flex-wrap gap-3">
      <a className={buttonClasses('primario')} href={`mailto:${site.email}?subject=${encodeURIComponent(donar.receipt.subject)}`}>
        {next.email}
      </a>
      <ExternalLink a={`${site.whatsappLink}?text=${encodeURIComponent(next.whatsappText)}`} className={buttonClasses()}>
        {next.whatsapp}
      </ExternalLink>
    </div>
  ) : (
    <PageLink to="/calendario" className="enlace mt-2 inline-flex min-h-11 items-center">
      {next.calendar}
    </PageLink>
  )
}

/** The steps after a donation: the receipt, and the use of the money. */
function Next() {
  return (
    <ol className="grid gap-8 lg:grid-cols-3">
      {next.steps.map(({ title, text, links }) => (
        <li key={title} className="border-acento border-t-4 pt-4">
          <h3 className="titulo-3">{title}</h3>
          <p className="mt-2">{text}</p>
          {links ? <Links of={links} /> : null}
        </li>
      ))}
    </ol>
  )
}

/** /donar/gracias: the page after a transfer or PayPal. Search engines do not index it. */
export default function Thanks() {
  const hydrated = useHydrated()
  const message = hydrated ? `${share.message}${new URL('/donar', location.href).href}` : share.message
  return (
    <>
      <PageHeader title={gracias.title} entry={gracias.entry} image="cabecera-gracias" />
      <Section title={next.title}>
        <Next />
      </Section>
      <Section title={share.title} className="bg-banda border-linea border-t-2">
        <p className="-mt-4 max-w-prose text-lg">{share.text}</p>
        <div className="mt-6 flex flex-wrap gap-3">
          <ExternalLink a={`https://wa.me/?text=${encodeURIComponent(message)}`} className={buttonClasses()}>
            {share.whatsapp}
          </ExternalLink>
          {hydrated ? <ShareButton title={share.subject} path="/donar" label={share.button} copiedLabel={share.copied} /> : null}
        </div>
      </Section>
    </>
  )
}
