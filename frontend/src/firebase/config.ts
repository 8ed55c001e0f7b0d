/**
 * Where the data are (README, "Targets"): on the page's own origin (Clave), in the official emulators, or in
 * Firebase itself. One build serves one target.
 */
export type Destino = 'mismo-origen' | 'emuladores' | 'firebase'

/** What the build was told, with the defaults of a development server. */
export const configuracion = {
  destino: leerDestino(import.meta.env['VITE_DESTINO']),
  projectId: texto(import.meta.env['VITE_FIREBASE_PROJECT_ID']) || 'demo-fundacion',
  apiKey: texto(import.meta.env['VITE_FIREBASE_API_KEY']) || 'demo-clave',
  authDomain: texto(import.meta.env['VITE_FIREBASE_AUTH_DOMAIN']),
  firestoreEmulator: texto(import.meta.env['VITE_FIRESTORE_EMULATOR_HOST']) || '127.0.0.1:8080',
  authEmulator: texto(import.meta.env['VITE_FIREBASE_AUTH_EMULATOR_HOST']) || '127.0.0.1:9099',
  /** App attestation is effectively off in the client's plan and is not shipped (D-26). */
  appCheck: false,
} as const

function texto(valor: unknown): string {
  return typeof valor === 'string' ? valor : ''
}

function leerDestino(valor: unknown): Destino {
  return valor === 'emuladores' || valor === 'firebase' ? valor : 'mismo-origen'
}

/** The settings of a Firestore client for the target; none where the SDK's own are right. */
export function ajustesFirestore(): { host: string; ssl: boolean } | Record<string, never> {
  if (configuracion.destino === 'firebase') return {}
  if (configuracion.destino === 'emuladores') return { host: configuracion.firestoreEmulator, ssl: false }
  return { host: location.host, ssl: location.protocol === 'https:' }
}
