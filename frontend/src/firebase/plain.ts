import type { DocumentData } from 'firebase/firestore'

/** The timestamp class of a Firestore client. The two clients have different ones. */
type Stamp = abstract new (...parts: never[]) => { toDate(): Date }

/** The fields of a document with its timestamps converted to dates. */
export function plain(fields: DocumentData, stamp: Stamp): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof stamp ? value.toDate() : value]))
}
