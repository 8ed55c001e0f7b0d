import { type FormEvent, type RefCallback, useCallback, useRef, useState } from 'react'
import { LEAST_WAIT, isRobot, TRAP } from '../lib/robots'
import type { Fault } from './check'
import type { FormDefinition } from './schemas'

/** Where a form is (F-600, F-601). */
export type FormState =
  | { phase: 'idle' }
  | { phase: 'sending' }
  | { phase: 'sent' }
  | { phase: 'failed'; message: string }
  | { phase: 'wrong'; fault: Fault }

/** For how long after a success a form that nobody has touched may be sent again without effect, in milliseconds. */
const ECHO_MS = 3000

/** The texts of a form as they stand. */
function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}

/** The name of the field that the browser takes for no address, if any. */
function refusedAddress(form: HTMLFormElement): string | undefined {
  return [...form.querySelectorAll('input')].find(({ validity }) => validity.typeMismatch)?.name
}

/** What checks a form comes with the first touch of it: no page needs it to be shown. */
const checker = () => import('./check')

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** A public form: checked, sent once, cleared after success and kept after failure (F-602). */
export function useForm(definition: FormDefinition) {
  const [state, setState] = useState<FormState>({ phase: 'idle' })
  const busy = useRef(false)
  const typed = useRef(false)
  const sentAt = useRef(Number.NEGATIVE_INFINITY)

  async function deliver(form: HTMLFormElement, document: Record<string, string>, at: number): Promise<void> {
    const trap = textsOf(form)[TRAP]?.trim() ?? ''
    if (!isRobot({ trap: trap, moment: at, typed: typed.current })) {
      await pause(Math.max(0, LEAST_WAIT - at))
      const { save } = await import('../firebase/forms')
      await save(definition.collection, document)
    }
    form.reset()
    typed.current = false
    sentAt.current = performance.now()
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    // A second press in the same breath is meant for the form that was sent: the thanks stay.
    const echo = !typed.current && performance.now() - sentAt.current < ECHO_MS
    if (busy.current || echo) return
    const form = event.currentTarget
    busy.current = true
    try {
      const { check } = await checker()
      const { document, fault } = check(definition, textsOf(form), refusedAddress(form))
      if (fault) {
        setState({ phase: 'wrong', fault })
        return
      }
      setState({ phase: 'sending' })
      await deliver(form, document, event.nativeEvent.timeStamp)
      setState({ phase: 'sent' })
    } catch (error) {
      console.error(error)
      setState({ phase: 'failed', message: definition.failure })
    } finally {
      busy.current = false
    }
  }

  // Text that the fields have before hydration was typed by the visitor.
  const onMount: RefCallback<HTMLFormElement> = useCallback((form) => {
    if (!form) return
    const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
    typed.current ||= fields.some(({ value, defaultValue }) => value !== defaultValue)
  }, [])

  return {
    state,
    props: {
      ref: onMount,
      method: 'post',
      noValidate: true,
      onSubmit: (event: FormEvent<HTMLFormElement>) => void submit(event),
      onInput: (event: FormEvent) => {
        typed.current ||= event.nativeEvent.isTrusted
      },
      // The sender's code is fetched as soon as the form is touched; if that fails, sending tries again.
      onFocus: () => void Promise.all([checker(), import('../firebase/forms')]).catch(() => undefined),
    } as const,
  }
}
