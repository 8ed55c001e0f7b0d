import { initializeApp } from 'firebase/app'
import { configuration } from './config'

/** The one Firebase app of the page. */
export const app = initializeApp({
  projectId: configuration.projectId,
  apiKey: configuration.apiKey,
  ...(configuration.authDomain ? { authDomain: configuration.authDomain } : {}),
})
