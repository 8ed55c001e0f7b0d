import { type FormEvent, type RefCallback, useCallback, useRef, useState } from 'react'
import { LEAST_WAIT, isRobot, TRAP } from '../lib/robots'
import type { Fault } from './check'
import type { FormDefinition } from './schemas'

/** The state of a form (F-600, F-601). */
export type FormState =
  | { phase: 'idle' }
  | { phase: 'sending' }
  | { phase: 'sent' }
  | { phase: 'failed'; message: string }
  | { phase: 'wrong'; fault: Fault }

/** How long after a success an unchanged form can be sent again without effect, in milliseconds. */
const ECHO_MS = 3000

/** The current texts of a form. */
function textsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}

/** The name of the field whose value the browser does not accept as an e-mail address, if any. */
function refusedAddress(form: HTMLFormElement): string | undefined {
  return [...form.querySelectorAll('input')].find(({ validity }) => validity.typeMismatch)?.name
}

/** Loads the checks of forms on the first use. They are not needed to show a page. */
const checker = () => import('./check')

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** A public form. It is checked, sent once, emptied after success and kept after failure (F-602). */
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
    // A second press directly after the first is for the form that was sent. The thanks stay visible.
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

  // The visitor typed text that the fields contain before hydration.
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
      // The code for sending is loaded on the first use of the form. If that fails, sending loads it again.
      onFocus: () => void Promise.all([checker(), import('../firebase/forms')]).catch(() => undefined),
    } as const,
  }
}
