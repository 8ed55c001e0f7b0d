import { initializeFirestore } from 'firebase/firestore/lite'
import { app } from './app'
import { firestoreSettings } from './config'

/** Firestore over single requests. An unreachable server is an error immediately, which forms need. */
export const lite = initializeFirestore(app, firestoreSettings())
