import { initializeFirestore } from 'firebase/firestore/lite'
import { app } from './app'
import { ajustesFirestore } from './config'

/** Firestore over plain requests: an unreachable server is an error at once, which is what forms need. */
export const lite = initializeFirestore(app, ajustesFirestore())
