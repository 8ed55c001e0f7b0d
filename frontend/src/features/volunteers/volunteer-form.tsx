import { DataNote, ErrorSummary, Form, FormField, Outcome, SendButton } from '../../forms/form'
import { volunteer } from '../../forms/schemas'
import { t } from '../../i18n/es'

const LABELS = { fullName: t.common.fullName, email: t.common.email, phone: t.common.phone, message: t.common.optionalMessage }

/** The volunteers' application (F-211, F-212, F-214). */
export function VolunteerForm() {
  return (
    <Form definition={volunteer} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <FormField name="fullName" label={LABELS.fullName} autoComplete="name" />
      <div className="grid gap-4 sm:grid-cols-2 sm:items-start">
        <FormField name="email" label={LABELS.email} type="email" autoComplete="email" />
        <FormField name="phone" label={LABELS.phone} type="tel" autoComplete="tel" />
      </div>
      <FormField name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.successes.volunteer}</p>
      </Outcome>
      <p>{t.form.consent}</p>
      <SendButton text={t.form.sendApplication} className="justify-self-start" />
      <DataNote text={t.form.retention} />
    </Form>
  )
}
