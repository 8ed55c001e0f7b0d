import * as v from 'valibot'

/** A registration of an administrator. */
export type Registration = { ticket: string; firstName: string; lastName: string; email: string; password: string }

const ticketAnswer = v.object({ ticket: v.string(), expiresIn: v.number() })
const errorAnswer = v.object({ error: v.object({ code: v.string() }) })

/** A refusal of the back office, with Firebase's name of the error. */
export class BackOfficeError extends Error {
  constructor(readonly code: string) {
    super(code)
    this.name = 'BackOfficeError'
  }
}

/** Exchanges the secret code for a ticket (F-801). */
export async function checkCode(code: string): Promise<string> {
  return v.parse(ticketAnswer, await post('/api/admin/codigo', { code })).ticket
}

/** Creates the account and its record (F-802). */
export async function register(registration: Registration): Promise<void> {
  await post('/api/admin/registro', registration)
}

/** Posts JSON, with an ID token if there is one. A refusal or an unreachable server is a BackOfficeError. */
export async function post(path: string, body: object, idToken?: string): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(idToken ? { Authorization: `Bearer ${idToken}` } : {}) },
      body: JSON.stringify(body),
    })
  } catch {
    throw new BackOfficeError('network-request-failed')
  }
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok) return answer
  throw refusalOf(response.status, answer)
}

/** The refusal in a response. */
export function refusalOf(status: number, answer: unknown): BackOfficeError {
  const refusal = v.safeParse(errorAnswer, answer)
  return new BackOfficeError(refusal.success ? refusal.output.error.code : nameOf(status))
}

/** Firebase's name for the status of a response without a name in its body. */
function nameOf(status: number): string {
  if (status === 429) return 'too-many-requests'
  return status >= 502 && status <= 504 ? 'network-request-failed' : 'internal-error'
}
