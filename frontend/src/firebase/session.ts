import { onAuthStateChanged, signInWithEmailAndPassword, signOut } from 'firebase/auth'
import { auth } from './auth'

/** Whoever is signed in. */
export type Person = { uid: string; email: string | null; displayName: string | null }

/** Calls back with the signed-in user, now and after each change; returns a function that stops it. */
export function watchPerson(on: (person: Person | null) => void): () => void {
  return onAuthStateChanged(auth, (user) => {
    on(user ? { uid: user.uid, email: user.email, displayName: user.displayName } : null)
  })
}

/** Signs in; the returned promise fails with an error that authCode understands. */
export async function enter(email: string, password: string): Promise<void> {
  await signInWithEmailAndPassword(auth, email, password)
}

/** Signs out. */
export async function leave(): Promise<void> {
  await signOut(auth)
}
