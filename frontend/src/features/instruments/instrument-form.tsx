import { DataNote, ErrorSummary, Form, FormField, Outcome, SendButton } from '../../forms/form'
import { rental } from '../../forms/schemas'
import { t } from '../../i18n/es'

const LABELS = { fullName: t.common.fullName, email: t.common.email, message: t.common.message }

/** The request for an instrument (F-225, F-226). */
export function InstrumentForm() {
  return (
    <Form definition={rental} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <FormField name="fullName" label={LABELS.fullName} autoComplete="name" />
      <FormField name="email" label={LABELS.email} type="email" autoComplete="email" />
      <FormField name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.successes.briefInstrument}</p>
        <p className="font-normal">{t.successes.instrument}</p>
      </Outcome>
      <SendButton text={t.form.sendApplication} className="justify-self-start" />
      <DataNote text={t.form.retention} />
    </Form>
  )
}
