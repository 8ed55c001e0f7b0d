import { FirebaseError } from 'firebase/app'
import { onAuthStateChanged, sendPasswordResetEmail, signInWithEmailAndPassword, signOut } from 'firebase/auth'
import { auth } from './auth'

/** The signed-in user. */
export type Person = { uid: string; email: string | null; displayName: string | null }

/** Calls back with the signed-in user, now and after each change. Returns a function that stops it. */
export function watchPerson(on: (person: Person | null) => void): () => void {
  return onAuthStateChanged(auth, (user) => {
    on(user ? { uid: user.uid, email: user.email, displayName: user.displayName } : null)
  })
}

/** Signs in. The returned promise rejects with an error that authCode can read. */
export async function enter(email: string, password: string): Promise<void> {
  await signInWithEmailAndPassword(auth, email, password)
}

/** Requests an e-mail in Spanish with a link to a new password. */
export async function requestReset(email: string): Promise<void> {
  auth.languageCode = 'es'
  try {
    await sendPasswordResetEmail(auth, email, { url: `${location.origin}/LogIn` })
  } catch (error) {
    // The page's address is not among the authorized domains. The link then leads to no page after the new password.
    if (!(error instanceof FirebaseError) || error.code !== 'auth/unauthorized-continue-uri') throw error
    await sendPasswordResetEmail(auth, email)
  }
}

/** Signs out. */
export async function leave(): Promise<void> {
  await signOut(auth)
}
