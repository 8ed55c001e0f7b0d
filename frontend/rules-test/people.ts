import { readFileSync } from 'node:fs'
import { initializeTestEnvironment, type RulesTestContext, type RulesTestEnvironment } from '@firebase/rules-unit-testing'
import { doc, setDoc, setLogLevel, Timestamp } from 'firebase/firestore'

/** Denials are expected here and are not logged. */
setLogLevel('silent')

/** The callers of the tests, as the rules distinguish them. */
export const everybody = ['visitor', 'member', 'admin', 'inactive', 'demoted', 'truthy'] as const
export type Person = (typeof everybody)[number]

/** The records in adminusers. A member has none; those of an inactive, a demoted and a "truthy" user grant no rights. */
const records: Partial<Record<Person, Record<string, unknown>>> = {
  admin: { role: 'admin', active: true },
  inactive: { role: 'admin', active: false },
  demoted: { role: 'editor', active: true },
  truthy: { role: 'admin', active: 'true' },
}

/** Creates a test environment with firestore.rules in a project of its own. */
export async function start(projectId: string): Promise<RulesTestEnvironment> {
  const address = process.env['FIRESTORE_EMULATOR_HOST']
  if (!address) throw new Error('set FIRESTORE_EMULATOR_HOST: clave exec -- npm run reglas')
  const [host = '127.0.0.1', port = '8080'] = address.split(':')
  const rules = readFileSync(new URL('../../firestore.rules', import.meta.url), 'utf8')
  return initializeTestEnvironment({ projectId, firestore: { rules, host, port: Number(port) } })
}

/** Deletes the project's documents and writes the administrators' records. */
export async function reset(env: RulesTestEnvironment): Promise<void> {
  await env.clearFirestore()
  await env.withSecurityRulesDisabled(async (context) => {
    for (const [uid, record] of Object.entries(records)) {
      const whole = { uid, displayName: uid, email: `${uid}@correo.do`, createdAt: Timestamp.now(), ...record }
      await setDoc(doc(context.firestore(), 'adminusers', uid), whole)
    }
  })
}

/** Writes a document, bypassing the rules. */
export async function given(env: RulesTestEnvironment, path: string, data: Record<string, unknown>): Promise<void> {
  await env.withSecurityRulesDisabled((context) => setDoc(doc(context.firestore(), path), data))
}

/** Opens the database as a user. */
export function as(env: RulesTestEnvironment, person: Person): RulesTestContext {
  return person === 'visitor' ? env.unauthenticatedContext() : env.authenticatedContext(person)
}
