import { DataNote, ErrorSummary, Field, Form, Outcome, SubmitButton } from '../../forms/form'
import { volunteer } from '../../forms/schemas'
import { t } from '../../i18n/es'

const LABELS = { fullName: t.common.fullName, email: t.common.email, phone: t.common.phone, message: t.common.optionalMessage }

/** The volunteers' application (F-211, F-212, F-214). */
export function VolunteerForm() {
  return (
    <Form definition={volunteer} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <Field name="fullName" label={LABELS.fullName} autoComplete="name" />
      <Field name="email" label={LABELS.email} type="email" autoComplete="email" />
      <Field name="phone" label={LABELS.phone} type="tel" autoComplete="tel" />
      <Field name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.successes.volunteer}</p>
      </Outcome>
      <p>{t.form.consent}</p>
      <SubmitButton text={t.form.sendApplication} className="justify-self-start" />
      <DataNote text={t.form.retention} />
    </Form>
  )
}
