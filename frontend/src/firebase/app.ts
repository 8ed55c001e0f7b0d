import { initializeApp } from 'firebase/app'
import { configuration } from './config'

/** The page's only Firebase app. */
export const app = initializeApp({
  projectId: configuration.projectId,
  apiKey: configuration.apiKey,
  ...(configuration.authDomain ? { authDomain: configuration.authDomain } : {}),
})
