import * as v from 'valibot'
import { auth } from './auth'
import { post } from './back-office'

const found = v.object({ counts: v.record(v.string(), v.number()), total: v.number() })
const tokens = v.object({ tokens: v.array(v.string()) })

/** The number of a person's records by collection. */
export type Found = v.InferOutput<typeof found>

/** The maximum number of addresses in one request for links. */
const LINKS_AT_ONCE = 200

/** Calls the back office as the signed-in administrator. */
export async function asMe(path: string, body: object): Promise<unknown> {
  return post(path, body, await auth.currentUser?.getIdToken())
}

/** Counts what a person sent. */
export async function countPerson(email: string): Promise<Found> {
  return v.parse(found, await asMe('/api/admin/datos/contar', { email }))
}

/** Erases what a person sent. */
export async function erasePerson(email: string): Promise<Found> {
  return v.parse(found, await asMe('/api/admin/datos/borrar', { email }))
}

/** The unsubscribe link of each address, for the newsletter's e-mails. */
export async function unsubscribeLinks(emails: readonly string[]): Promise<string[]> {
  const links: string[] = []
  for (let i = 0; i < emails.length; i += LINKS_AT_ONCE) {
    const answer = await asMe('/api/admin/boletin/bajas', { emails: emails.slice(i, i + LINKS_AT_ONCE) })
    links.push(...v.parse(tokens, answer).tokens.map((token) => `${location.origin}/boletin/baja?t=${token}`))
  }
  return links
}
