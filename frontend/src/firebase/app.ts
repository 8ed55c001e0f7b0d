import { initializeApp } from 'firebase/app'
import { configuracion } from './config'

/** The one Firebase app of the page. */
export const app = initializeApp({
  projectId: configuracion.projectId,
  apiKey: configuracion.apiKey,
  ...(configuracion.authDomain ? { authDomain: configuracion.authDomain } : {}),
})
