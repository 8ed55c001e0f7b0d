import { OAuthProvider, signInWithCredential } from 'firebase/auth'
import * as v from 'valibot'
import { auth } from './auth'
import { configuration } from './config'

/**
 * Sign-in with Google by redirect. The SDK's own way loads a script of Google's into the page, which the site's policy forbids; here the
 * browser leaves for Google and comes back to /LogIn, and the server exchanges the code.
 */
const SESSION = 'acceso-google'

const begun = v.object({ authUri: v.string(), sessionId: v.string() })
const asserted = v.object({ providerId: v.string(), oauthIdToken: v.string(), nonce: v.optional(v.string()) })

/** The provider that the page offers; null if none is configured (README, "Sign-in with Google"). */
export const offeredProvider = (): string | null => document.querySelector<HTMLMetaElement>('meta[name="acceso-google"]')?.content || null

function origin(): string {
  if (configuration.target === 'firebase') return 'https://identitytoolkit.googleapis.com'
  return `${configuration.target === 'emuladores' ? `http://${configuration.authEmulator}` : location.origin}/identitytoolkit.googleapis.com`
}

async function post<T>(method: string, body: object, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const response = await fetch(`${origin()}/v1/accounts:${method}?key=${encodeURIComponent(configuration.apiKey)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} answered ${response.status}`)
  return v.parse(schema, await response.json())
}

/** Leaves for the provider's page. */
export async function leaveFor(providerId: string): Promise<void> {
  const { authUri, sessionId } = await post('createAuthUri', { providerId, continueUri: location.origin + location.pathname }, begun)
  sessionStorage.setItem(SESSION, sessionId)
  location.assign(authUri)
}

/**
 * Whether the page was opened by the provider's answer to a sign-in that began in this tab. Without a client secret it is in the fragment.
 */
export function hasReturned(): boolean {
  const answer = new URLSearchParams(location.search || location.hash.slice(1))
  return answer.has('state') && sessionStorage.getItem(SESSION) !== null
}

/** Signs in with the provider's answer. It is used once, and is removed from the address at once. */
export async function finish(): Promise<void> {
  const requestUri = location.href
  const sessionId = sessionStorage.getItem(SESSION)
  sessionStorage.removeItem(SESSION)
  history.replaceState(history.state, '', location.pathname)
  const { providerId, oauthIdToken, nonce } = await post(
    'signInWithIdp',
    { requestUri, sessionId, returnSecureToken: true, returnIdpCredential: true },
    asserted,
  )
  await signInWithCredential(
    auth,
    new OAuthProvider(providerId).credential({ idToken: oauthIdToken, ...(nonce ? { rawNonce: nonce } : {}) }),
  )
}
