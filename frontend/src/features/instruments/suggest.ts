import { instrumentos } from '../../content/instrumentos'

/** Writes an instrument's name into the request's message, unless the visitor has written a message. */
export function suggest(name: string): void {
  const field = document.querySelector<HTMLTextAreaElement>('#solicitud textarea')
  const ours = instrumentos.list.map((card) => instrumentos.wish(card.name))
  if (field && ['', ...ours].includes(field.value.trim())) field.value = instrumentos.wish(name)
}
