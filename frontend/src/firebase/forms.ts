import { addDoc, collection, serverTimestamp } from 'firebase/firestore/lite'
import type { Collection } from '../forms/schemas'
import { lite } from './lite'

/** Stores a form as a new document, stamped by the server. Rejects if the server can't be reached or refuses. */
export async function save(collectionName: Collection, fields: Record<string, string>): Promise<void> {
  await addDoc(collection(lite, collectionName), { ...fields, createdAt: serverTimestamp() })
}
