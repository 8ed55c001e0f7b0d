/** The text of a form's field; nothing when there is none such. */
export function textOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}
