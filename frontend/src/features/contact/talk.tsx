import { buttonClasses } from '../../components/button-classes'
import { site } from '../../content/sitio'

type Props = { title: string; text: string; button: string; ink?: 'mar' | 'sol' }

/** A poster with a link to WhatsApp, for visitors who prefer a conversation. */
export function Talk({ title, text, button, ink = 'mar' }: Props) {
  return (
    <section className={`no-imprimir cartel cartel-${ink}`}>
      <h2 className="titulo-3">{title}</h2>
      <p className="mt-2 mb-5">{text}</p>
      <a className={buttonClasses()} href={site.whatsappLink} target="_blank" rel="noopener noreferrer">
        {button}
        <span aria-hidden="true"> ↗</span>
      </a>
    </section>
  )
}
