import {
  addDoc,
  collection,
  deleteDoc,
  deleteField,
  doc,
  getDoc,
  runTransaction,
  serverTimestamp,
  setDoc,
  Timestamp,
  writeBatch,
} from 'firebase/firestore/lite'
// The client for single requests needs the signed-in user.
import './auth'
import { lite } from './lite'
import type { Row } from './panel'
import { plain } from './plain'

/** The collection of events. */
export const EVENTS = 'MusicEvent'
/** Each write of a batch uses two of the twenty lookups that the rules allow for a request. */
const BATCH = 10

/** The fields of an event that the form sets. */
export type EventFields = {
  title: string
  description: string
  location: string
  featuredArtist: string
  price: number | null
  date: string
  time: string
  eventDate: Date
  /** The address of the picture, empty if there is none, and its alternative text. */
  imageUrl: string
  imageAlt: string
}

/** The author of a write. */
export type Writer = { uid: string; email: string | null }

/** A picture's fields. An event without a picture has neither. */
type Pictured = { imageUrl: string; imageAlt: string }

/** The fields of a new event, with those of a picture only if there is one. */
export function withPicture<T extends Pictured>({ imageUrl, imageAlt, ...event }: T): Omit<T, keyof Pictured> & Partial<Pictured> {
  return imageUrl ? { ...event, imageUrl, imageAlt } : event
}

/** The fields of a change. Those of a removed picture are deleted. */
export function changedPicture<T extends Pictured>({ imageUrl, imageAlt, ...event }: T) {
  return imageUrl ? { ...event, imageUrl, imageAlt } : { ...event, imageUrl: deleteField(), imageAlt: deleteField() }
}

/** The stored form of an event that is published now (F-333). */
export const newEvent = (event: EventFields, by: Writer) => ({
  ...withPicture(event),
  eventDate: Timestamp.fromDate(event.eventDate),
  createdBy: by.uid,
  createdByEmail: by.email,
  createdAt: serverTimestamp(),
  updatedAt: serverTimestamp(),
  isPublished: true,
})

/** Creates an event (F-333). */
export async function createEvent(event: EventFields, by: Writer): Promise<void> {
  await addDoc(collection(lite, EVENTS), newEvent(event, by))
}

/** The refusal of a save because the event has changed, with the current event, or null if it was deleted. */
export class Changed extends Error {
  constructor(readonly now: Row | null) {
    super('the event has changed')
  }
}

/**
 * Changes an event (P-04): all fields of the form, and the time of the change. It reads the event first, and writes
 * with the precondition of that version. It rejects with Changed if `expected` returns false.
 */
export async function changeEvent(id: string, event: EventFields, expected: (now: Row) => boolean): Promise<void> {
  await runTransaction(lite, async (transaction) => {
    const reference = doc(lite, EVENTS, id)
    const fields = (await transaction.get(reference)).data()
    const now = fields ? { id, fields: plain(fields, Timestamp) } : null
    if (!now || !expected(now)) throw new Changed(now)
    transaction.update(reference, {
      ...changedPicture(event),
      eventDate: Timestamp.fromDate(event.eventDate),
      updatedAt: serverTimestamp(),
    })
  })
}

/** Deletes an event and returns a function that restores the document with the same id; undefined if it did not exist. */
export async function deleteEvent(id: string): Promise<(() => Promise<void>) | undefined> {
  const reference = doc(lite, EVENTS, id)
  const before = (await getDoc(reference)).data()
  await deleteDoc(reference)
  return before && (() => setDoc(reference, before))
}

/** Sets the status of forms (P-03), with the author and the time. */
export async function setStatus(paths: readonly string[], status: string, by: Writer): Promise<void> {
  for (let start = 0; start < paths.length; start += BATCH) {
    const batch = writeBatch(lite)
    for (const path of paths.slice(start, start + BATCH)) {
      batch.update(doc(lite, path), { status, statusBy: by.uid, statusAt: serverTimestamp() })
    }
    await batch.commit()
  }
}
