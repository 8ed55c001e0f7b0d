import { DataNote, ErrorSummary, Field, Form, Outcome, SubmitButton } from '../../forms/form'
import { volunteer } from '../../forms/schemas'
import { t } from '../../i18n/es'

const LABELS = { fullName: t.comun.nombreCompleto, email: t.comun.correo, phone: t.comun.telefono, message: t.comun.mensajeOpcional }

/** The volunteers' application (F-211, F-212, F-214). */
export function FormularioVoluntario() {
  return (
    <Form definition={volunteer} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <Field name="fullName" label={LABELS.fullName} autoComplete="name" />
      <Field name="email" label={LABELS.email} type="email" autoComplete="email" />
      <Field name="phone" label={LABELS.phone} type="tel" autoComplete="tel" />
      <Field name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.exitos.voluntario}</p>
      </Outcome>
      <p>{t.formulario.consentimiento}</p>
      <SubmitButton text={t.formulario.enviarSolicitud} className="justify-self-start" />
      <DataNote text={t.formulario.retencion} />
    </Form>
  )
}
