import { useSearchParams } from 'react-router-dom'
import { DataNote, ErrorSummary, Field, Form, Outcome, SubmitButton } from '../../forms/form'
import { contact } from '../../forms/schemas'
import { t } from '../../i18n/es'
import { useHidratado } from '../../lib/use-hidratado'

const LABELS = { name: t.formulario.nombre, email: t.comun.correo, subject: t.formulario.asunto, message: t.comun.mensaje }

/** The subject that a link brought (D-15): known once the page is live. */
function useSubject(): string {
  const [query] = useSearchParams()
  const live = useHidratado()
  return live ? (query.get('asunto') ?? '').slice(0, 150) : ''
}

/** The contact form (F-161, F-162). */
export function FormularioContacto() {
  const subject = useSubject()
  return (
    <Form definition={contact} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <Field name="name" label={LABELS.name} autoComplete="name" />
      <Field name="email" label={LABELS.email} type="email" autoComplete="email" />
      <Field key={subject} name="subject" label={LABELS.subject} initial={subject} />
      <Field name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.exitos.contacto}</p>
      </Outcome>
      <SubmitButton text={t.formulario.enviarMensaje} className="justify-self-start" />
      <DataNote text={t.formulario.retencion} />
    </Form>
  )
}
