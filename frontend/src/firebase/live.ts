import { initializeFirestore } from 'firebase/firestore'
import { app } from './app'
import { firestoreSettings } from './config'

/** Firestore with live queries. It is loaded only by import(), after the first paint. */
export const live = initializeFirestore(app, firestoreSettings())
