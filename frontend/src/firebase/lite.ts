import { initializeFirestore } from 'firebase/firestore/lite'
import { app } from './app'
import { firestoreSettings } from './config'

/** Firestore over plain requests: an unreachable server is an error at once, which is what forms need. */
export const lite = initializeFirestore(app, firestoreSettings())
