import { createContext, useContext } from 'react'
import { useParams } from 'react-router-dom'
import type { Session } from './api/session'
import type { Scope } from './lib/scope'

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession outside a session')
  return session
}

/** The project and the database in the address. */
export function useScope(): Scope {
  const { project, database } = useParams()
  const session = useSession()
  return { project: project ?? session.project, database: database ?? '(default)' }
}
