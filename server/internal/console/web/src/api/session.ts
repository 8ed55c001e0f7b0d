import * as v from 'valibot'
import { call, connection } from './http'

const Session = v.object({
  mode: v.picklist(['start', 'exec', 'serve']),
  write: v.boolean(),
  project: v.string(),
  projects: v.array(v.object({ id: v.string(), databases: v.array(v.string()) })),
  version: v.string(),
  /** The responding node, if several share a store. It is the leader. */
  node: v.optional(v.string(), ''),
  csrf: v.string(),
  expires: v.nullish(v.string()),
  features: v.array(v.string()),
  addresses: v.record(v.string(), v.string()),
  /** The origin that clients of a served project use. */
  publicUrl: v.optional(v.string(), ''),
  tokensSigned: v.optional(v.boolean(), false),
})

export type Session = v.InferOutput<typeof Session>

/** Loads the session: its rights and the server's features. */
export async function loadSession(): Promise<Session> {
  const session = await call(Session, '/api/session')
  connection.csrf = session.csrf
  return session
}
