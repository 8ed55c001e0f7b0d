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
// The client of plain requests needs the signed-in user.
import './auth'
import { lite } from './lite'
import type { Row } from './panel'
import { plain } from './plain'

/** Where events are. */
export const EVENTS = 'MusicEvent'
/** Each write of a batch costs the rules two look-ups, of which a request has twenty. */
const BATCH = 10

/** What the event form decides of an event. */
export type EventFields = {
  title: string
  description: string
  location: string
  featuredArtist: string
  price: number | null
  date: string
  time: string
  eventDate: Date
  /** The address of the picture, empty where there is none, and what it shows. */
  imageUrl: string
  imageAlt: string
}

/** Who writes. */
export type Writer = { uid: string; email: string | null }

/** A picture's fields; an event without one has neither. */
type Pictured = { imageUrl: string; imageAlt: string }

/** The fields of what is new: those of a picture only where there is one. */
export function withPicture<T extends Pictured>({ imageUrl, imageAlt, ...event }: T): Omit<T, keyof Pictured> & Partial<Pictured> {
  return imageUrl ? { ...event, imageUrl, imageAlt } : event
}

/** The fields of a change: those of a picture that is taken away are deleted. */
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

/** A save that was refused because the event is not what it was: what it is now, null when it is gone. */
export class Changed extends Error {
  constructor(readonly now: Row | null) {
    super('the event has changed')
  }
}

/**
 * Changes an event (P-04): everything the form decides, and the time of the change. What stands there is looked at first,
 * and the write holds for that very version alone: it rejects with Changed when `expected` says no.
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

/** Deletes an event and returns how to write the same document back under the same id; nothing when it was gone already. */
export async function deleteEvent(id: string): Promise<(() => Promise<void>) | undefined> {
  const reference = doc(lite, EVENTS, id)
  const before = (await getDoc(reference)).data()
  await deleteDoc(reference)
  return before && (() => setDoc(reference, before))
}

/** Moves forms along (P-03), signed and dated. */
export async function setStatus(paths: readonly string[], status: string, by: Writer): Promise<void> {
  for (let start = 0; start < paths.length; start += BATCH) {
    const batch = writeBatch(lite)
    for (const path of paths.slice(start, start + BATCH)) {
      batch.update(doc(lite, path), { status, statusBy: by.uid, statusAt: serverTimestamp() })
    }
    await batch.commit()
  }
}
