import * as v from 'valibot'
import type { PublicEvent } from './event'

/** The id of the element with the event that the back office wrote into the page (server/backoffice/pages). */
const ELEMENT = 'evento-servido'

const Served = v.object({
  over: v.boolean(),
  event: v.object({
    id: v.string(),
    title: v.string(),
    description: v.string(),
    place: v.string(),
    artist: v.string(),
    price: v.nullable(v.number()),
    image: v.nullable(v.string()),
    imageAlt: v.string(),
    moment: v.nullable(
      v.pipe(
        v.string(),
        v.transform((text) => new Date(text)),
        v.date(),
      ),
    ),
    date: v.string(),
    time: v.string(),
  }),
})

/** The event of this id that the page's HTML shows, and whether it was over when the page was made. Null if it shows none. */
export function servedEvent(id: string): { event: PublicEvent; over: boolean } | null {
  const text = typeof document === 'undefined' ? null : document.getElementById(ELEMENT)?.textContent
  if (!text) return null
  const served = v.safeParse(Served, JSON.parse(text))
  return served.success && served.output.event.id === id ? served.output : null
}

/** Removes the event when its page is left: later it may be out of date. */
export function forgetServedEvent(): void {
  document.getElementById(ELEMENT)?.remove()
}
