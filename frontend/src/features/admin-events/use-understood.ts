import { type RefObject, useEffect, useRef, useState } from 'react'
import { FILLED } from './event-inputs'
import { understood } from './event-text'

type Kind = 'date' | 'time' | 'price'

/** Parses the text of a date, time or price field, and returns the parsed value as text, or the expected format. */
export function useUnderstood(
  kind: Kind,
  value: string,
): { input: RefObject<HTMLInputElement | null>; note: string; follow: () => void; put: (text: string) => void } {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  const follow = () => setTyped(input.current?.value ?? '')
  useEffect(() => {
    const { form } = input.current ?? {}
    // Other code also writes into the field, for example when two versions are merged or the form is emptied.
    form?.addEventListener(FILLED, follow)
    return () => form?.removeEventListener(FILLED, follow)
  }, [])
  const put = (text: string) => {
    if (input.current) input.current.value = text
    setTyped(text)
  }
  return { input, note: understood(kind, typed)?.text ?? '', follow, put }
}
