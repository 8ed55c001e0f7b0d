import * as v from 'valibot'
import { auth } from './auth'
import { post } from './back-office'

const found = v.object({ counts: v.record(v.string(), v.number()), total: v.number() })
const times = v.object({
  confirmed: v.array(
    v.nullable(
      v.pipe(
        v.string(),
        v.transform((text) => new Date(text)),
        v.date(),
      ),
    ),
  ),
})
const tokens = v.object({ tokens: v.array(v.string()) })

/** The number of a person's records by collection. */
export type Found = v.InferOutput<typeof found>

/** The maximum number of addresses in one request. */
const ADDRESSES_AT_ONCE = 200

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
  const answers = await inParts('/api/admin/boletin/bajas', emails, (answer) => v.parse(tokens, answer).tokens)
  return answers.map((token) => `${location.origin}/boletin/baja?t=${token}`)
}

/** The times at which addresses were confirmed; null for one that was not. */
export async function confirmationTimes(emails: readonly string[]): Promise<(Date | null)[]> {
  return inParts('/api/admin/boletin/confirmados', emails, (answer) => v.parse(times, answer).confirmed)
}

/** Calls the back office about addresses, as often as their number requires. */
async function inParts<T>(path: string, emails: readonly string[], read: (answer: unknown) => T[]): Promise<T[]> {
  const all: T[] = []
  for (let i = 0; i < emails.length; i += ADDRESSES_AT_ONCE) {
    all.push(...read(await asMe(path, { emails: emails.slice(i, i + ADDRESSES_AT_ONCE) })))
  }
  return all
}
