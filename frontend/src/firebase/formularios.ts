import { addDoc, collection, serverTimestamp } from 'firebase/firestore/lite'
import { lite } from './lite'

/** The collections that visitors write to. Their spellings are the data's own. */
export type Coleccion = 'Massive Boletin' | 'ContactRequests' | 'voluntaryAplications' | 'IntrumentRental'

/** Stores a form as a new document, stamped by the server. Rejects when the server can't be reached or says no. */
export async function guardar(coleccion: Coleccion, campos: Record<string, string>): Promise<void> {
  await addDoc(collection(lite, coleccion), { ...campos, createdAt: serverTimestamp() })
}
