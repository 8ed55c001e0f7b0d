import { DataNote, ErrorSummary, Field, Form, Outcome, SubmitButton } from '../../forms/form'
import { rental } from '../../forms/schemas'
import { t } from '../../i18n/es'

const LABELS = { fullName: t.comun.nombreCompleto, email: t.comun.correo, message: t.comun.mensaje }

/** The request for an instrument (F-225, F-226). */
export function FormularioInstrumento() {
  return (
    <Form definition={rental} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <Field name="fullName" label={LABELS.fullName} autoComplete="name" />
      <Field name="email" label={LABELS.email} type="email" autoComplete="email" />
      <Field name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.exitos.instrumentoBreve}</p>
        <p className="font-normal">{t.exitos.instrumento}</p>
      </Outcome>
      <SubmitButton text={t.formulario.enviarSolicitud} className="justify-self-start" />
      <DataNote text={t.formulario.retencion} />
    </Form>
  )
}
