import { inicio } from '../../content/inicio'
import { DataNote, Form, FormField, Outcome, SendButton } from '../../forms/form'
import { newsletter } from '../../forms/schemas'
import { t } from '../../i18n/es'

/** The newsletter's form (F-110, F-111). */
export function Newsletter() {
  return (
    <section id="boletin" aria-labelledby="titulo-boletin" className="seccion bg-banda border-linea border-t-2">
      <div className="contenedor grid gap-8 md:grid-cols-2 md:items-center lg:gap-16">
        <div>
          <h2 id="titulo-boletin" className="titulo-2">
            {inicio.newsletter.title}
          </h2>
          <p className="mt-3 text-lg">{inicio.newsletter.text}</p>
        </div>
        <Form definition={newsletter} className="grid gap-3">
          <div className="grid gap-3 sm:grid-cols-[1fr_auto] sm:items-start">
            <FormField name="email" label={t.common.email} type="email" autoComplete="email" alone />
            <SendButton text={t.form.subscribeMe} className="min-h-13 sm:mt-8" />
          </div>
          <Outcome>
            <p>{t.successes.newsletter}</p>
          </Outcome>
          <DataNote text={t.form.newsletterRetention} />
        </Form>
      </div>
    </section>
  )
}
