import { collection, deleteDoc, doc, runTransaction, serverTimestamp, setDoc, Timestamp, updateDoc } from 'firebase/firestore/lite'
// The client for single requests needs the signed-in user.
import './auth'
import { lite } from './lite'
import { Changed, changedPicture, EVENTS, type EventFields, newEvent, withPicture, type Writer } from './panel-writes'

const drafts = collection(lite, 'MusicEventDrafts')

/** An unpublished event. Its date and other fields may be missing. */
export type DraftFields = Omit<EventFields, 'eventDate'> & { eventDate: Date | null }

const stored = (draft: DraftFields) => ({
  eventDate: draft.eventDate && Timestamp.fromDate(draft.eventDate),
  updatedAt: serverTimestamp(),
})

/** Saves a new draft (P-05). */
export async function createDraft(draft: DraftFields, by: Writer): Promise<void> {
  const made = { createdBy: by.uid, createdByEmail: by.email, createdAt: serverTimestamp(), publishAt: null }
  await setDoc(doc(drafts), { ...withPicture(draft), ...stored(draft), ...made })
}

/** Changes a draft and removes the time at which it was to be published, because it is being edited. */
export async function changeDraft(id: string, draft: DraftFields): Promise<void> {
  await updateDoc(doc(drafts, id), { ...changedPicture(draft), ...stored(draft), publishAt: null })
}

/** Sets the time at which the back office publishes a draft; null removes it. */
export async function scheduleDraft(id: string, publishAt: Date | null): Promise<void> {
  await updateDoc(doc(drafts, id), { publishAt: publishAt && Timestamp.fromDate(publishAt), updatedAt: serverTimestamp() })
}

/**
 * Publishes a draft under the same id. Rejects with Changed if it is no longer a draft, for example because it was
 * published at its time.
 */
export async function publishDraft(id: string, event: EventFields, by: Writer): Promise<void> {
  await runTransaction(lite, async (transaction) => {
    const draft = doc(drafts, id)
    if (!(await transaction.get(draft)).exists()) throw new Changed(null)
    transaction.set(doc(lite, EVENTS, id), newEvent(event, by))
    transaction.delete(draft)
  })
}

/** Deletes a draft. */
export async function deleteDraft(id: string): Promise<void> {
  await deleteDoc(doc(drafts, id))
}
