import * as v from 'valibot'
import type { Issue } from '../../firebase/newsletter'

const Draft = v.object({ subject: v.string(), text: v.string() })

/** The storage key of a user's draft. It is kept in the tab, so that it is not left on a shared computer. */
const keyOf = (uid: string) => `boletin-borrador-${uid}`

/** Whether an issue has text. */
export const isWritten = ({ subject, text }: Issue) => subject.trim() !== '' || text.trim() !== ''

/** The issue that a user has begun to write; null if there is none. */
export function draftOf(uid: string): Issue | null {
  try {
    return v.parse(Draft, JSON.parse(sessionStorage.getItem(keyOf(uid)) ?? 'null'))
  } catch {
    // None, or a browser without storage.
    return null
  }
}

/** Keeps an issue until it is sent or discarded. An empty one is not kept. */
export function keepDraft(uid: string, issue: Issue): void {
  try {
    if (isWritten(issue)) sessionStorage.setItem(keyOf(uid), JSON.stringify(issue))
    else sessionStorage.removeItem(keyOf(uid))
  } catch {
    // Storage is full or forbidden: the text is kept by the open dialog only.
  }
}

/** Removes a draft. */
export function dropDraft(uid: string): void {
  keepDraft(uid, { subject: '', text: '' })
}
