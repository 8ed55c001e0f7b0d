import type { DocumentData } from 'firebase/firestore'

/** What a client of Firestore calls its timestamps; each of the two has its own. */
type Stamp = abstract new (...parts: never[]) => { toDate(): Date }

/** The fields of a document, its timestamps turned to dates. */
export function plain(fields: DocumentData, stamp: Stamp): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof stamp ? value.toDate() : value]))
}
