import { instrumentos } from '../../content/instrumentos'

/** Names an instrument in the request's message, unless the visitor has written a message of their own. */
export function suggest(name: string): void {
  const field = document.querySelector<HTMLTextAreaElement>('#solicitud textarea')
  const ours = instrumentos.list.map((card) => instrumentos.wish(card.name))
  if (field && ['', ...ours].includes(field.value.trim())) field.value = instrumentos.wish(name)
}
