import { Link } from '../components/link'
import { buttonClasses } from '../components/button-classes'
import { PageHeader } from '../components/page-header'
import { Section } from '../components/section'
import { privacidad } from '../content/privacidad'

/** /privacidad: the stored data, their purpose, and their retention (P-14). */
export default function Privacy() {
  return (
    <>
      <PageHeader title={privacidad.title} entry={privacidad.entry} image="cabecera-privacidad" />
      <Section>
        <div className="grid gap-12 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-16">
          <div className="max-w-prose space-y-10">
            {privacidad.sections.map(({ title, paragraphs }) => (
              <section key={title}>
                <h2 className="titulo-3">{title}</h2>
                {paragraphs.map((paragraph) => (
                  <p key={paragraph} className="mt-3">
                    {paragraph}
                  </p>
                ))}
              </section>
            ))}
          </div>
          <aside className="marco self-start p-6 lg:sticky lg:top-24">
            <h2 className="titulo-3">{privacidad.help.title}</h2>
            <p className="mt-2 mb-5">{privacidad.help.text}</p>
            <Link className={`${buttonClasses('primario')} self-start`} to={privacidad.subject}>
              {privacidad.contacto}
            </Link>
            <p className="text-suave mt-5 text-sm">{privacidad.updated}</p>
          </aside>
        </div>
      </Section>
    </>
  )
}
