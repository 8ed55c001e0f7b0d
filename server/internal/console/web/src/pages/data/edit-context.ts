import { createContext, useContext, useState } from 'react'
import type { ValuePath } from '../../lib/changes'
import type { Value } from '../../lib/value'

/** What all editors of a draft have in common. It stays the same while the user types. */
export type Edit = {
  /** The prefix of references. */
  root: string
  disabled: boolean
  /** Sets or removes the value at a path. */
  edit: (path: ValuePath, value: Value | undefined) => void
  /** Keeps a text that is no value of the type at a path, until the value there is edited. */
  typed: (path: ValuePath, text: string) => void
  /** The kept text of a path. */
  textAt: (path: ValuePath) => string | undefined
  /** Shows the map or array at a path alone. */
  enter: (path: ValuePath) => void
}

export const EditContext = createContext<Edit | null>(null)

export function useEdit(): Edit {
  const edit = useContext(EditContext)
  if (!edit) throw new Error('useEdit outside a draft')
  return edit
}

type Typed<T> = { path: ValuePath; value: T; format: (value: T) => string; parse: (text: string) => T | null; set: (value: T) => void }

/** A value that is typed as text. A text that is no value is kept with the draft, and is shown until the value changes. */
export function useTyped<T>({ path, value, format, parse, set }: Typed<T>): {
  text: string
  good: boolean
  change: (text: string) => void
} {
  const { typed, textAt } = useEdit()
  const [text, setText] = useState(() => textAt(path) ?? format(value))
  const [shown, setShown] = useState(value)
  if (!Object.is(shown, value)) {
    setShown(value)
    setText(format(value))
  }
  const change = (next: string) => {
    setText(next)
    const parsed = parse(next)
    if (parsed === null) typed(path, next)
    else {
      setShown(parsed)
      set(parsed)
    }
  }
  return { text, good: parse(text) !== null, change }
}
