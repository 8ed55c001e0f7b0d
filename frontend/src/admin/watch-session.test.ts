import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Row } from '../firebase/panel'
import type { Person } from '../firebase/session'
import { watchSession, type Session } from './watch-session'

const person: Person = { uid: 'ana', email: 'ana@x.do', displayName: 'Ana' }
const admin: Row = { id: 'ana', fields: { role: 'admin', active: true } }

/** The session's current listeners, which the tests call. */
const listeners: {
  person?: (person: Person | null) => void
  row?: (row: Row | null, fromCache: boolean) => void
  error?: (code: string) => void
} = {}
const stops = vi.fn<() => void>()
const watched = vi.fn<(path: string) => void>()

vi.mock('../firebase/session', () => ({
  watchPerson: (on: (person: Person | null) => void) => {
    listeners.person = on
    return stops
  },
}))
vi.mock('../firebase/panel', () => ({
  watchRow: (path: string, on: (row: Row | null, fromCache: boolean) => void, onError: (code: string) => void) => {
    watched(path)
    listeners.row = on
    listeners.error = onError
    return stops
  },
}))

const reported: string[] = []
const report = ({ status }: Session) => void reported.push(status)

/** A session of a signed-in user whose record is being read. */
async function signedIn() {
  const stop = watchSession(report)
  await vi.waitFor(() => expect(listeners.person).toBeDefined())
  listeners.person?.(person)
  await vi.waitFor(() => expect(listeners.row).toBeDefined())
  return stop
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  reported.length = 0
  for (const name of ['person', 'row', 'error'] as const) delete listeners[name]
  stops.mockClear()
  watched.mockClear()
})
afterEach(() => vi.useRealTimers())

it('accepts only the server’s answer: a cached record proves nothing', async () => {
  await signedIn()
  expect(watched).toHaveBeenCalledWith('adminusers/ana')
  listeners.row?.(admin, true)
  expect(reported).toEqual(['checking'])
  listeners.row?.(admin, false)
  expect(reported).toEqual(['checking', 'admin'])
})

it.each([
  ['no record', null],
  ['an inactive record', { id: 'ana', fields: { role: 'admin', active: false } }],
  ['another role', { id: 'ana', fields: { role: 'editor', active: true } }],
  ['a text for active', { id: 'ana', fields: { role: 'admin', active: 'true' } }],
])('gives no rights for %s', async (_, row) => {
  await signedIn()
  listeners.row?.(row, false)
  expect(reported.at(-1)).toBe('denied')
})

it('ends the rights when the record is refused', async () => {
  await signedIn()
  listeners.row?.(admin, false)
  listeners.error?.('permission-denied')
  expect(reported.at(-1)).toBe('denied')
})

it('does not treat a failure as a refusal, and retries', async () => {
  await signedIn()
  listeners.error?.('internal')
  expect(reported.at(-1)).toBe('offline')
  await vi.advanceTimersByTimeAsync(4000)
  await vi.waitFor(() => expect(watched).toHaveBeenCalledTimes(2))
  listeners.row?.(admin, false)
  expect(reported.at(-1)).toBe('admin')
})

it('reports after some time that the server does not respond', async () => {
  await signedIn()
  await vi.advanceTimersByTimeAsync(4000)
  expect(reported).toEqual(['checking', 'offline'])
})

it('signs out when the session ends in another tab, and stops watching the record', async () => {
  await signedIn()
  listeners.row?.(admin, false)
  listeners.person?.(null)
  expect(reported.at(-1)).toBe('out')
  expect(stops).toHaveBeenCalledTimes(1)
  listeners.row?.(admin, false)
  expect(reported.at(-1)).toBe('out')
})
