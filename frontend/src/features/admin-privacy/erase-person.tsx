import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { messageOf } from '../../admin/auth-error'
import { textOf } from '../../admin/form-text'
import { Dialog } from '../../components/dialog'
import { EmailInput } from '../../admin/ui/email-input'
import { SubmitButton } from '../../components/submit-button'
import type { Found } from '../../firebase/back-office-admin'
import { es } from '../../i18n/es-admin'

const { data } = es

/** Erases everything that a person sent, by e-mail address, after it has been counted and confirmed (P-14). */
export function ErasePerson() {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" className="boton" onClick={() => setOpen(true)}>
        {data.open}
      </button>
      <Dialog open={open} onClose={close} kind="window" title={data.open}>
        <Steps onClose={close} />
      </Dialog>
    </>
  )
}

type Step = { name: 'ask' } | { name: 'confirm'; email: string; found: Found } | { name: 'done'; total: number }

/** The steps of the dialog, from the address to the result. */
function Steps({ onClose }: { onClose: () => void }) {
  const [step, setStep] = useState<Step>({ name: 'ask' })
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const run = async (task: () => Promise<Step>) => {
    setProblem('')
    setBusy(true)
    try {
      setStep(await task())
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = textOf(event.currentTarget, 'email').trim()
    void run(async () => {
      const { countPerson } = await import('../../firebase/back-office-admin')
      return { name: 'confirm', email, found: await countPerson(email) }
    })
  }
  const erase = (email: string) => (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const { erasePerson } = await import('../../firebase/back-office-admin')
      return { name: 'done', total: (await erasePerson(email)).total }
    })
  }
  if (step.name === 'done') return <Told text={data.erased(step.total)} onClose={onClose} />
  if (step.name === 'confirm') {
    const { email, found } = step
    if (found.total === 0) return <Told text={data.nothing(email)} onClose={onClose} />
    return (
      <Question
        focused
        onSubmit={erase(email)}
        onClose={onClose}
        problem={problem}
        submit={<SubmitButton danger busy={busy} label={data.erase(found.total)} busyLabel={data.erasing} />}
      >
        <p>{data.question(email)}</p>
        <Counts found={found} />
        <p>{data.notice}</p>
      </Question>
    )
  }
  return (
    <Question onSubmit={ask} onClose={onClose} submit={<SubmitButton busy={busy} label={data.search} busyLabel={data.searching} />}>
      <p>{data.help}</p>
      <EmailInput autoComplete="off" error={problem || undefined} />
    </Question>
  )
}

type QuestionProps = {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onClose: () => void
  submit: ReactNode
  /** Whether the cancel button receives the focus, because the previous step's control is gone. */
  focused?: boolean
  problem?: string
  children: ReactNode
}

/** A step with a choice to continue or cancel. */
function Question({ onSubmit, onClose, submit, focused = false, problem, children }: QuestionProps) {
  return (
    <form method="post" noValidate className="grid gap-4" onSubmit={onSubmit}>
      {children}
      {problem ? (
        <p role="alert" className="panel-error">
          {problem}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <Leave label={es.events.cancel} onClick={onClose} focused={focused} />
        {submit}
      </div>
    </form>
  )
}

/** The button that cancels. */
function Leave({ label, onClick, focused }: { label: string; onClick: () => void; focused: boolean }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (focused) button.current?.focus()
  }, [focused])
  return (
    <button ref={button} type="button" className="boton" onClick={onClick}>
      {label}
    </button>
  )
}

/** The number of the person's records in each collection. */
function Counts({ found }: { found: Found }) {
  const rows = Object.entries(data.collections).map(([name, label]) => ({ label, n: found.counts[name] ?? 0 }))
  return (
    <ul className="list-disc pl-5">
      {rows
        .filter(({ n }) => n > 0)
        .map(({ label, n }) => (
          <li key={label}>{data.account(label, n)}</li>
        ))}
    </ul>
  )
}

/** The result. */
function Told({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <>
      <p role="status">{text}</p>
      <div className="flex justify-end">
        <Leave label={es.table.close} onClick={onClose} focused />
      </div>
    </>
  )
}
