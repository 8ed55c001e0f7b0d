/**
 * The address of the data (README, "Targets"): the page's own origin (Clave), the official emulators, or Firebase. A
 * build is for one target.
 */
export type Target = 'mismo-origen' | 'emuladores' | 'firebase'

/** The build's settings. The defaults are for a development server. */
export const configuration = {
  target: readTarget(import.meta.env['VITE_DESTINO']),
  projectId: text(import.meta.env['VITE_FIREBASE_PROJECT_ID']) || 'demo-fundacion',
  apiKey: text(import.meta.env['VITE_FIREBASE_API_KEY']) || 'demo-clave',
  authDomain: text(import.meta.env['VITE_FIREBASE_AUTH_DOMAIN']),
  firestoreEmulator: text(import.meta.env['VITE_FIRESTORE_EMULATOR_HOST']) || '127.0.0.1:8080',
  authEmulator: text(import.meta.env['VITE_FIREBASE_AUTH_EMULATOR_HOST']) || '127.0.0.1:9099',
  /** App attestation is disabled in the client's plan and is not included (D-26). */
  appCheck: false,
} as const

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readTarget(value: unknown): Target {
  return value === 'emuladores' || value === 'firebase' ? value : 'mismo-origen'
}

/** The settings of a Firestore client for the target; none if the SDK's defaults are right. */
export function firestoreSettings(): { host: string; ssl: boolean } | Record<string, never> {
  if (configuration.target === 'firebase') return {}
  if (configuration.target === 'emuladores') return { host: configuration.firestoreEmulator, ssl: false }
  return { host: location.host, ssl: location.protocol === 'https:' }
}
