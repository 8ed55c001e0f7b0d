import { browserLocalPersistence, connectAuthEmulator, initializeAuth } from 'firebase/auth'
import { app } from './app'
import { configuration } from './config'

/**
 * Sign-in, for /LogIn and /AdminView only: public pages never load this module. Unlike getAuth, initializeAuth does not include the popup
 * loader.
 */
export const auth = initializeAuth(app, { persistence: browserLocalPersistence })

if (configuration.target === 'mismo-origen') {
  connectAuthEmulator(auth, location.origin, { disableWarnings: true })
} else if (configuration.target === 'emuladores') {
  connectAuthEmulator(auth, `http://${configuration.authEmulator}`, { disableWarnings: true })
}
