import { useEffect, useState } from 'react'
import { type Session, watchSession } from './watch-session'

/** The current session, updated on changes. */
export function useSession(): Session {
  const [session, setSession] = useState<Session>({ status: 'checking' })
  useEffect(
    () =>
      watchSession((next) => {
        // An equal session must not render the panel again.
        setSession((old) => (same(old, next) ? old : next))
      }),
    [],
  )
  return session
}

function same(a: Session, b: Session): boolean {
  return a.status === b.status && ('person' in a ? a.person : null) === ('person' in b ? b.person : null)
}
