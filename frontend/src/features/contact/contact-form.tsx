import { useSearchParams } from 'react-router-dom'
import { DataNote, ErrorSummary, Form, FormField, Outcome, SendButton } from '../../forms/form'
import { contact } from '../../forms/schemas'
import { t } from '../../i18n/es'
import { useHydrated } from '../../lib/use-hydrated'

const LABELS = { name: t.form.name, email: t.common.email, subject: t.form.subject, message: t.common.message }

/** The subject in the link that led here (D-15), available once the page is hydrated. */
function useSubject(): string {
  const [query] = useSearchParams()
  const live = useHydrated()
  return live ? (query.get('asunto') ?? '').slice(0, contact.fields['subject']?.maxLength) : ''
}

/** The contact form (F-161, F-162). */
export function ContactForm() {
  const subject = useSubject()
  return (
    <Form definition={contact} className="grid gap-4">
      <ErrorSummary labels={LABELS} />
      <div className="grid gap-4 sm:grid-cols-2 sm:items-start">
        <FormField name="name" label={LABELS.name} autoComplete="name" />
        <FormField name="email" label={LABELS.email} type="email" autoComplete="email" />
      </div>
      <FormField key={subject} name="subject" label={LABELS.subject} initial={subject} />
      <FormField name="message" label={LABELS.message} paragraph />
      <Outcome>
        <p>{t.successes.contacto}</p>
      </Outcome>
      <SendButton text={t.form.sendMessage} className="justify-self-start" />
      <DataNote text={t.form.retention} />
    </Form>
  )
}
