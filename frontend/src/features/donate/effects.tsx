import { InstrumentIcon } from '../../art/instrument-icon'
import { buttonClasses } from '../../components/button-classes'
import { donar } from '../../content/donar'
import { site } from '../../content/sitio'
import { t } from '../../i18n/es'
import { donationLink } from '../../lib/links'

/** The effects of amounts, each with the amount as a large number and a button that opens PayPal with it. */
export function Effects() {
  const { effects, donate, with: by, note } = donar.target
  return (
    <>
      <ul className="grid gap-8 md:grid-cols-3">
        {effects.map(({ amount, dollars, icon, que, detail }) => (
          <li key={amount} className="border-acento flex flex-col border-t-4 pt-4">
            <div className="flex items-center justify-between gap-4">
              <p className="font-titular text-acento text-4xl leading-none font-extrabold tracking-tight md:text-3xl md:whitespace-nowrap lg:text-5xl">
                {amount}
              </p>
              <InstrumentIcon name={icon} className="size-20 shrink-0 md:size-14 lg:size-20" />
            </div>
            <h3 className="titulo-3 mt-2">{que}</h3>
            <p className="mt-2 mb-5">{detail}</p>
            <a
              className={`${buttonClasses()} mt-auto self-start`}
              href={donationLink(site.paypal, dollars)}
              target="_blank"
              rel="noopener noreferrer"
            >
              {donate(dollars)}
              <span aria-hidden="true"> ↗</span>
              <span className="sr-only">
                {by(que)} {t.common.newTab}
              </span>
            </a>
          </li>
        ))}
      </ul>
      <p className="text-suave mt-6 max-w-prose text-sm">{note}</p>
    </>
  )
}
