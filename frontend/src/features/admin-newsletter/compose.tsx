import { type FormEvent, useRef, useState } from 'react'
import { messageOf } from '../../admin/auth-error'
import { textOf } from '../../admin/form-text'
import { Field } from '../../components/field'
import { SubmitButton } from '../../components/submit-button'
import { usePanelData } from '../../admin/data/panel-data'
import { useNotify } from '../../admin/ui/toasts'
import type { Issue } from '../../firebase/newsletter'
import { es } from '../../i18n/es-admin'
import { draftOf, keepDraft } from './issue-draft'
import { checkIssue, LIMITS } from './issue-values'

const texts = es.newsletter

/** The issue in the form. */
const written = (form: HTMLFormElement): Issue => ({ subject: textOf(form, 'subject'), text: textOf(form, 'text') })

type Step = 'preview' | 'test' | 'send'
/** The content below the form. */
type Result = { kind: 'done' | 'error' | 'preview' | 'question'; text: string }

/**
 * Composes an issue, beginning with the draft if there is one. It can be previewed and sent to oneself; sending it to
 * all subscribers requires a confirmation.
 */
export function Compose({ onSent }: { onSent: () => void }) {
  const form = useRef<HTMLFormElement>(null)
  const notify = useNotify()
  const { uid } = usePanelData().me
  const [draft] = useState(() => draftOf(uid))
  const [step, setStep] = useState<Step>()
  const [result, setResult] = useState<Result>()
  const run = async (next: Step, task: (issue: Issue) => Promise<Result | undefined>) => {
    if (!form.current) return
    const checked = checkIssue(written(form.current))
    if (!checked.ok) {
      setResult({ kind: 'error', text: checked.message })
      return
    }
    setStep(next)
    setResult(undefined)
    try {
      setResult(await task(checked.values))
    } catch (error) {
      setResult({ kind: 'error', text: messageOf(error) })
    } finally {
      setStep(undefined)
    }
  }
  const calls = () => import('../../firebase/newsletter')
  const preview = () => run('preview', async (issue) => ({ kind: 'preview', text: await (await calls()).previewIssue(issue) }))
  const test = () => run('test', async (issue) => ({ kind: 'done', text: texts.tested(await (await calls()).testIssue(issue)) }))
  const question = () =>
    run('preview', async () => {
      const { confirmed } = await (await calls()).newsletterStatus()
      return confirmed > 0 ? { kind: 'question', text: texts.question(confirmed) } : { kind: 'error', text: es.errors['no-subscribers'] }
    })
  const send = () =>
    run('send', async (issue) => {
      notify({ text: texts.started(await (await calls()).startIssue(issue)) })
      onSent()
      return undefined
    })
  const change = () => {
    setResult(undefined)
    if (form.current) keepDraft(uid, written(form.current))
  }
  const sure = result?.kind === 'question'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void (sure ? send() : question())
  }
  return (
    <form ref={form} method="post" noValidate className="grid gap-3" onSubmit={submit} onChange={change}>
      {draft ? (
        <p role="status" className="ayuda">
          {texts.kept}
        </p>
      ) : null}
      <Field label={texts.subject}>
        {(input) => (
          <input {...input} name="subject" defaultValue={draft?.subject} required maxLength={LIMITS.subject} autoComplete="off" />
        )}
      </Field>
      <Field label={texts.text} hint={texts.textHelp}>
        {(input) => <textarea {...input} name="text" defaultValue={draft?.text} required rows={10} maxLength={LIMITS.text} />}
      </Field>
      {result ? <Outcome result={result} /> : null}
      <div className="panel-acciones">
        <div className="flex flex-wrap gap-2 max-sm:*:flex-auto">
          <button type="button" className="boton" disabled={step !== undefined} onClick={() => void preview()}>
            {texts.preview}
          </button>
          <button type="button" className="boton" disabled={step !== undefined} onClick={() => void test()}>
            {step === 'test' ? texts.testing : texts.test}
          </button>
          <SubmitButton
            busy={step === 'send'}
            disabled={step !== undefined}
            label={sure ? texts.sendNow : texts.send}
            busyLabel={texts.starting}
          />
        </div>
      </div>
    </form>
  )
}

/** The result of a step. */
function Outcome({ result: { kind, text } }: { result: Result }) {
  if (kind === 'preview') {
    return <Field label={texts.previewTitle}>{(input) => <textarea {...input} readOnly rows={10} value={text} />}</Field>
  }
  const classes = { done: 'panel-exito', error: 'panel-error', question: 'panel-problema' }
  return (
    <p role={kind === 'done' ? 'status' : 'alert'} className={classes[kind]}>
      {text}
    </p>
  )
}
