import { type RefObject, useEffect, useRef, useState } from 'react'
import { FILLED } from './event-inputs'
import { understood } from './event-text'

type Kind = 'date' | 'time' | 'price'

/** Parses what is typed into a date, a time or a price, and returns how it is understood, or what is expected instead. */
export function useUnderstood(
  kind: Kind,
  value: string,
): { input: RefObject<HTMLInputElement | null>; note: string; follow: () => void; put: (text: string) => void } {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  const follow = () => setTyped(input.current?.value ?? '')
  useEffect(() => {
    const { form } = input.current ?? {}
    // Other parts of the form write into its fields too, such as the merge of two versions, or empty them.
    form?.addEventListener(FILLED, follow)
    return () => form?.removeEventListener(FILLED, follow)
  }, [])
  const put = (text: string) => {
    if (input.current) input.current.value = text
    setTyped(text)
  }
  return { input, note: understood(kind, typed)?.text ?? '', follow, put }
}
