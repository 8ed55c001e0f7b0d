import { type RefObject, useEffect, useRef, useState } from 'react'
import { differing, fill, merge, read } from './event-inputs'
import type { Values } from './event-values'

type Versions = {
  form: RefObject<HTMLFormElement | null>
  /** The version on which the form's text is based. */
  base: Values
  /** The stored version. */
  current: Values
  onBase: (base: Values) => void
}

/** The choices if the form is based on another version than the stored one. */
export function useConflict({ form, base, current, onBase }: Versions) {
  const [refusals, setRefusals] = useState(0)
  const [dropped, setDropped] = useState<Values>()
  /** The first element of the choice. A refused save moves the focus there. */
  const choice = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (refusals === 0) return
    choice.current?.focus()
    // A narrow window would show the choice without its explanation.
    choice.current?.closest('.panel-problema')?.scrollIntoView({ block: 'nearest' })
  }, [refusals])

  const put = (values: Values, focus = 'title') => {
    if (!form.current) return
    fill(form.current, values)
    const field = form.current.elements.namedItem(focus)
    if (field instanceof HTMLElement) field.focus()
  }
  const settle = () => {
    setRefusals(0)
    onBase(current)
  }
  const join = () => {
    if (!form.current) return
    const mine = read(form.current)
    const theirs = differing(base, current)
    settle()
    put(merge(base, mine, current), theirs.find((name) => mine[name] !== base[name]) ?? theirs[0])
  }
  const take = () => {
    if (!form.current) return
    setDropped(read(form.current))
    settle()
    put(current)
  }
  const recover = () => {
    if (dropped) put(dropped)
    setDropped(undefined)
  }
  const refuse = () => setRefusals((count) => count + 1)
  return { choice, refused: refusals > 0, refuse, join, take, recover, dropped: dropped !== undefined }
}
