import type { Row } from '../firebase/panel'
import type { Person } from '../firebase/session'

/** The user of the panel: none, one without rights (D-23), or an administrator. */
export type Session =
  | { status: 'checking' }
  | { status: 'offline' }
  | { status: 'out' }
  | { status: 'denied'; person: Person }
  | { status: 'admin'; person: Person }

/** How long the check waits for the server before the page reports a missing connection. */
const TIMEOUT_MS = 4000

/**
 * Watches the signed-in user and, while there is one, the record that makes an administrator. If the record becomes
 * inactive, or reading it is refused, the rights end immediately (F-804). The server decides; this function only
 * reports. Returns a function that stops it.
 */
export function watchSession(report: (session: Session) => void): () => void {
  let stopped = false
  let stopPerson: (() => void) | undefined
  let stopRecord: (() => void) | undefined

  const onPerson = (person: Person | null) => {
    stopRecord?.()
    stopRecord = undefined
    if (!person) return report({ status: 'out' })
    report({ status: 'checking' })
    stopRecord = watchRecord(person, report)
    return undefined
  }
  const start = async () => {
    const { watchPerson } = await import('../firebase/session')
    if (!stopped) stopPerson = watchPerson(onPerson)
  }
  start().catch(() => report({ status: 'offline' }))
  return () => {
    stopped = true
    stopPerson?.()
    stopRecord?.()
  }
}

/** Watches the record of a signed-in user. Returns a function that stops it. */
function watchRecord(person: Person, report: (session: Session) => void): () => void {
  let stopped = false
  let stop: (() => void) | undefined
  let timer = setTimeout(() => report({ status: 'offline' }), TIMEOUT_MS)
  const settle = (session: Session) => {
    clearTimeout(timer)
    if (!stopped) report(session)
  }
  // Errors other than refusals do not concern rights. The read is retried.
  const onError = (code: string) => {
    if (code === 'permission-denied') return settle({ status: 'denied', person })
    settle({ status: 'offline' })
    if (!stopped) timer = setTimeout(begin, TIMEOUT_MS)
    return undefined
  }
  const start = async () => {
    const { watchRow } = await import('../firebase/panel')
    if (stopped) return
    stop = watchRow(
      `adminusers/${person.uid}`,
      // A cached record proves nothing. Only the server's answer counts.
      (row, fromCache) => {
        if (!fromCache) settle({ status: isActive(row) ? 'admin' : 'denied', person })
      },
      onError,
    )
  }
  function begin() {
    start().catch(() => onError('unavailable'))
  }
  begin()
  return () => {
    stopped = true
    clearTimeout(timer)
    stop?.()
  }
}

/** Whether a record makes its user an administrator, as in the rules. */
function isActive(row: Row | null): boolean {
  return row?.fields['role'] === 'admin' && row.fields['active'] === true
}
