import { useEffect, useState } from 'react'
import type { Row } from '../firebase/panel'
import type { Person } from '../firebase/session'

/** Who is here: nobody, somebody without rights (D-23), or an administrator. */
export type Session =
  | { status: 'checking' }
  | { status: 'offline' }
  | { status: 'out' }
  | { status: 'denied'; person: Person }
  | { status: 'admin'; person: Person }

/** How long the check may wait for the server before the page says that there is no connection. */
const PATIENCE_MS = 4000

/**
 * Watches who is signed in and, for as long as somebody is, the record that makes an administrator: a record that
 * becomes inactive, or a refusal to read it, ends the rights at once (F-804). The server decides; this only shows it.
 */
export function useSession(): Session {
  const [session, setSession] = useState<Session>({ status: 'checking' })
  useEffect(() => {
    let stopped = false
    let stopPerson: (() => void) | undefined
    let stopRecord: (() => void) | undefined
    let patience: ReturnType<typeof setTimeout> | undefined
    const start = async () => {
      const [{ watchPerson }, { watchRow }] = await Promise.all([import('../firebase/session'), import('../firebase/panel')])
      if (stopped) return
      stopPerson = watchPerson((person) => {
        stopRecord?.()
        clearTimeout(patience)
        if (!person) return setSession({ status: 'out' })
        setSession({ status: 'checking' })
        patience = setTimeout(() => setSession((s) => (s.status === 'checking' ? { status: 'offline' } : s)), PATIENCE_MS)
        stopRecord = watchRow(
          `adminusers/${person.uid}`,
          (row, fromCache) => {
            if (fromCache) return
            const status = isActive(row) ? 'admin' : 'denied'
            setSession((s) => (s.status === status && s.person === person ? s : { status, person }))
          },
          () => setSession({ status: 'denied', person }),
        )
      })
    }
    start().catch(() => setSession({ status: 'offline' }))
    return () => {
      stopped = true
      clearTimeout(patience)
      stopPerson?.()
      stopRecord?.()
    }
  }, [])
  return session
}

/** Whether a record makes an administrator, as the rules say it. */
function isActive(row: Row | null): boolean {
  return row?.fields['role'] === 'admin' && row.fields['active'] === true
}
