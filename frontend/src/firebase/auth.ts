import { browserLocalPersistence, connectAuthEmulator, initializeAuth } from 'firebase/auth'
import { app } from './app'
import { configuracion } from './config'

/**
 * Sign-in, for /LogIn and /AdminView only: public pages never load this module. initializeAuth spares the popup
 * loader that getAuth brings.
 */
export const auth = initializeAuth(app, { persistence: browserLocalPersistence })

if (configuracion.destino === 'mismo-origen') {
  connectAuthEmulator(auth, location.origin, { disableWarnings: true })
} else if (configuracion.destino === 'emuladores') {
  connectAuthEmulator(auth, `http://${configuracion.authEmulator}`, { disableWarnings: true })
}
