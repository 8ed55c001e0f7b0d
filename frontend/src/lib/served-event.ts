import type { PublicEvent } from './event'

/** The id of the element with the event that the back office wrote into the page (server/backoffice/pages). */
const ELEMENT = 'evento-servido'

/** An event in the page's HTML, and whether it was over when the page was made. */
type Served = { event: PublicEvent; over: boolean }

/** The event of this id that the page's HTML shows; null if it shows none. Its text is as `served` of the back office writes it. */
export function servedEvent(id: string): Served | null {
  const text = typeof document === 'undefined' ? null : document.getElementById(ELEMENT)?.textContent
  if (!text) return null
  const toDate = (key: string, value: unknown) => (key === 'moment' && typeof value === 'string' ? new Date(value) : value)
  const served: Served = JSON.parse(text, toDate)
  return served.event.id === id ? served : null
}

/** Removes the event when its page is left: later it may be out of date. */
export function forgetServedEvent(): void {
  document.getElementById(ELEMENT)?.remove()
}
