import { addDoc, collection, serverTimestamp } from 'firebase/firestore/lite'
import type { Collection } from '../forms/schemas'
import { lite } from './lite'

/** Stores a form as a new document with the server's time. Rejects if the server cannot be reached or refuses. */
export async function save(collectionName: Collection, fields: Record<string, string>): Promise<void> {
  await addDoc(collection(lite, collectionName), { ...fields, createdAt: serverTimestamp() })
}
