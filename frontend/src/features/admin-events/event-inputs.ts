import { blank, names, type Name, type Values } from './event-values'

/** What the event form's inputs hold. */
export function read(form: HTMLFormElement): Values {
  const data = new FormData(form)
  const values: Values = { ...blank }
  for (const name of names) {
    const value = data.get(name)
    if (typeof value === 'string') values[name] = value
  }
  return values
}

/** The input of a field; nothing when the form has none such. */
export function inputOf(form: HTMLFormElement, name: Name): HTMLInputElement | HTMLTextAreaElement | undefined {
  const element = form.elements.namedItem(name)
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element : undefined
}

/** Called when fields of a form were changed by the program. */
export const FILLED = 'filled'

/** Puts texts into the form. */
export function fill(form: HTMLFormElement, values: Values): void {
  for (const name of names) {
    const input = inputOf(form, name)
    if (input) input.value = values[name]
  }
  form.dispatchEvent(new Event(FILLED))
}

/** Empties the form, also one that began as a copy of another event. */
export function clear(form: HTMLFormElement): void {
  fill(form, blank)
}

/** The fields in which two sets differ. */
export function differing(a: Values, b: Values): Name[] {
  // A textarea turns every line's end to LF.
  const plain = (text: string) => text.replaceAll('\r\n', '\n')
  return names.filter((name) => plain(a[name]) !== plain(b[name]))
}

/** Whether two sets of fields are equal. */
export function same(a: Values, b: Values): boolean {
  return differing(a, b).length === 0
}

/** Two changes of the same fields in one: what one has changed stays, all else is the other's. */
export function merge(base: Values, mine: Values, theirs: Values): Values {
  const merged = { ...theirs }
  for (const name of differing(base, mine)) merged[name] = mine[name]
  return merged
}
