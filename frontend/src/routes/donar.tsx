import { SlotImage } from '../art/slot-image'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { Questions } from '../components/questions'
import { Section } from '../components/section'
import { donar } from '../content/donar'
import { site } from '../content/sitio'
import { Talk } from '../features/contact/talk'
import { Effects } from '../features/donate/effects'
import { BankDetails } from '../features/copy/bank-details'
import { PageLink } from '../layout/page-link'

/** A story about the effect of donations. */
function History() {
  const { historia } = donar
  return (
    <figure className="cartel cartel-mar grid gap-8 md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] md:items-center">
      <div>
        <h2 className="text-lg font-semibold">{historia.title}</h2>
        <blockquote className="font-titular mt-4 text-2xl leading-snug font-bold lg:text-[1.75rem]">
          <p>«{historia.text}»</p>
        </blockquote>
        <figcaption className="mt-5 font-semibold">{historia.who}</figcaption>
      </div>
      <SlotImage
        slot="tira-6"
        decorative
        sizes="(min-width: 768px) 340px, 100vw"
        className="h-auto w-full rounded-sm border-3 border-[#0b3c49]"
      />
    </figure>
  )
}

/** The links after the ways of donating. */
function Donated() {
  return (
    <PageLink to="/donar/gracias" className="no-imprimir enlace mt-3 inline-flex min-h-11 items-center self-start">
      {donar.donated}
    </PageLink>
  )
}

/** Donation by PayPal. Its site opens only by this link (P-14). */
function PayPal() {
  const { paypal } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{paypal.title}</h3>
      <p className="mt-2">{paypal.text}</p>
      <ol className="no-imprimir pasos my-4 grow content-evenly">
        {paypal.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <a className={`${buttonClasses('primario')} con-direccion`} href={site.paypal} target="_blank" rel="noopener noreferrer">
        {paypal.button}
        <span aria-hidden="true"> ↗</span>
      </a>
      <p className="no-imprimir text-suave mt-3 text-sm">{paypal.note}</p>
      <Donated />
    </section>
  )
}

/** Donation by bank transfer. */
function BankTransfer() {
  const { bankTransfer } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{bankTransfer.title}</h3>
      <p className="no-imprimir mt-2">{bankTransfer.text}</p>
      <BankDetails bank={site.bank} />
      <Donated />
    </section>
  )
}

/** Donation of goods. */
function InKind() {
  const { inKind } = donar
  return (
    <section className="marco p-6">
      <h3 className="titulo-3">{inKind.title}</h3>
      <p className="mt-2 font-semibold">{inKind.text}</p>
      <p className="mt-2">{inKind.detail}</p>
      <h4 className="no-imprimir text-suave mt-5 font-sans text-sm tracking-normal">{inKind.lacks}</h4>
      <ul className="no-imprimir divide-linea mt-1 grid grow content-evenly divide-y">
        {inKind.list.map((thing) => (
          <li key={thing} className="py-2">
            {thing}
          </li>
        ))}
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-6">
        <a className="enlace inline-flex min-h-11 items-center" href={`mailto:${site.email}`}>
          {site.email}
        </a>
        <a className="enlace inline-flex min-h-11 items-center" href={site.phoneLink}>
          {site.phone}
        </a>
      </p>
    </section>
  )
}

/** The receipt and its contact. */
function Receipt() {
  const { receipt, doubts } = donar
  return (
    <div className="grid gap-8 self-start lg:sticky lg:top-24">
      <section>
        <h2 className="titulo-2">{receipt.title}</h2>
        <p className="mt-3">
          {receipt.before}
          <a className="enlace" href={`mailto:${site.email}?subject=${encodeURIComponent(receipt.subject)}`}>
            {site.email}
          </a>
          {receipt.after}
        </p>
      </section>
      <Talk title={doubts.title} text={doubts.text} button={doubts.whatsapp} ink="sol" />
    </div>
  )
}

/** /donar: the effect of amounts, three equivalent ways of donating, a story, the receipt and questions. */
export default function Donate() {
  const { target, questions } = donar
  return (
    <>
      <PageHeader title={donar.title} entry={donar.entry} image="cabecera-donar">
        <a href="#metodos" className={`${buttonClasses('primario')} no-imprimir`}>
          {donar.choose}
        </a>
      </PageHeader>
      <Section title={target.title} className="no-imprimir">
        <Effects />
        <p className="mt-6">
          <PageLink to="/impacto" className="enlace inline-flex min-h-11 items-center">
            {target.impact}
          </PageLink>
        </p>
      </Section>
      <Section title={donar.methods} id="metodos" className="bg-banda border-linea border-y-2">
        <div className="grid gap-6 lg:grid-cols-3">
          <PayPal />
          <BankTransfer />
          <InKind />
        </div>
      </Section>
      <Section className="no-imprimir">
        <History />
      </Section>
      <Section className="pt-0">
        <div className="grid gap-12 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)] lg:gap-16">
          <Receipt />
          <Questions name="donar" questions={questions} className="no-imprimir" />
        </div>
      </Section>
    </>
  )
}
