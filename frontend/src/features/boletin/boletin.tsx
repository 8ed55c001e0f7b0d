import { inicio } from '../../content/inicio'
import { DataNote, Field, Form, Outcome, SubmitButton } from '../../forms/form'
import { newsletter } from '../../forms/schemas'
import { t } from '../../i18n/es'

/** The newsletter's form (F-110, F-111). */
export function Boletin() {
  return (
    <section aria-labelledby="titulo-boletin" className="seccion bg-banda border-linea border-t-2">
      <div className="contenedor grid gap-8 md:grid-cols-2 md:items-center lg:gap-16">
        <div>
          <h2 id="titulo-boletin" className="titulo-2">
            {inicio.boletin.titulo}
          </h2>
          <p className="mt-3 text-lg">{inicio.boletin.texto}</p>
        </div>
        <Form definition={newsletter} className="grid gap-3">
          <div className="grid gap-3 sm:grid-cols-[1fr_auto] sm:items-start">
            <Field name="email" label={t.comun.correo} type="email" autoComplete="email" alone />
            <SubmitButton text={t.formulario.suscribirme} className="min-h-12 sm:mt-8" />
          </div>
          <Outcome>
            <p>{t.exitos.boletin}</p>
          </Outcome>
          <DataNote text={t.formulario.retencionBoletin} />
        </Form>
      </div>
    </section>
  )
}
