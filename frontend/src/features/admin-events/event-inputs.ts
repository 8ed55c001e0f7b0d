import { blank, names, type Name, type Values } from './event-values'

/** The texts in the event form's inputs. */
export function read(form: HTMLFormElement): Values {
  const data = new FormData(form)
  const values: Values = { ...blank }
  for (const name of names) {
    const value = data.get(name)
    if (typeof value === 'string') values[name] = value
  }
  return values
}

/** The input of a field, if the form has one. */
export function inputOf(form: HTMLFormElement, name: Name): HTMLInputElement | HTMLTextAreaElement | undefined {
  const element = form.elements.namedItem(name)
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element : undefined
}

/** Called when code has changed fields of a form. */
export const FILLED = 'filled'

/** Writes texts into the form. */
export function fill(form: HTMLFormElement, values: Values): void {
  for (const name of names) {
    const input = inputOf(form, name)
    if (input) input.value = values[name]
  }
  form.dispatchEvent(new Event(FILLED))
}

/** Empties the form, even if it began as a copy of another event. */
export function clear(form: HTMLFormElement): void {
  fill(form, blank)
}

/** The names of the fields that differ between two sets. */
export function differing(a: Values, b: Values): Name[] {
  // A textarea converts line ends to LF.
  const plain = (text: string) => text.replaceAll('\r\n', '\n')
  return names.filter((name) => plain(a[name]) !== plain(b[name]))
}

/** Whether two sets of fields are equal. */
export function same(a: Values, b: Values): boolean {
  return differing(a, b).length === 0
}

/** Merges two changes of the same fields: fields changed in the first are kept, the others are those of the second. */
export function merge(base: Values, mine: Values, theirs: Values): Values {
  const merged = { ...theirs }
  for (const name of differing(base, mine)) merged[name] = mine[name]
  return merged
}
