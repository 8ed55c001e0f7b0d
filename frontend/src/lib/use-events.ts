import { useEffect, useState } from 'react'
import type { EventQuery } from '../firebase/event-query'
import type { PublicEvent } from './event'
import { setUnconfirmed } from './use-offline'
import { type When, afterPaint, onPhone, whenSeen } from './when'

/** The module of live events, which loads Firestore. */
type LiveModule = typeof import('../firebase/events')

/** The state of a live list. `confirmed` is false while it comes only from the cache. */
export type EventsState = { phase: 'loading' } | { phase: 'error' } | { phase: 'ready'; events: PublicEvent[]; confirmed: boolean }

/** How long events may be unconfirmed before the notice N-04. Confirmation usually follows immediately. */
const GRACE_MS = 1500

const LOADING: EventsState = { phase: 'loading' }

let live: LiveModule | undefined

/** Loads the client of live queries, once. */
async function loadLive(): Promise<LiveModule> {
  live ??= await import('../firebase/events')
  return live
}

/** The callbacks of a subscription. */
type Listener = Parameters<LiveModule['subscribeEvents']>[1]

/** Listens from a time that `when` determines. Returns a function that stops it. */
function listen(selection: EventQuery, listener: Listener, when: When): () => void {
  let stop = () => undefined as void
  let left = false
  const leave = when(() => {
    loadLive()
      .then(({ subscribeEvents }) => {
        // A subscription may fail immediately, for example with an invalid document name.
        if (!left) stop = subscribeEvents(selection, listener)
      })
      .catch(listener.onError)
  })
  return () => {
    left = true
    leave()
    stop()
  }
}

/** Reads the events once. */
async function readFirst(selection: EventQuery, onEvents: (events: PublicEvent[]) => void): Promise<void> {
  const { readEvents } = await import('../firebase/read-events')
  onEvents(await readEvents(selection))
}

/** Whether a state may replace another: rows of the cache do not replace rows that the server has confirmed. */
const mayFollow = (next: EventsState, last: EventsState) =>
  !(last.phase === 'ready' && last.confirmed && next.phase === 'ready' && !next.confirmed)

/**
 * The events of a query, live. On a phone a small request loads the first rows, from `moment` on, and the client of
 * live queries (109 KB) is loaded after the visitor's first gesture or after some time. A wider screen loads it after
 * the first paint. `served` is an event that the page's HTML contains: it is shown from the first rendering on.
 */
export function useEvents(selection: EventQuery, moment: When = afterPaint, served?: PublicEvent): EventsState {
  const key = JSON.stringify(selection)
  const [received, setReceived] = useState<{ key: string; state: EventsState }>(() => ({
    key,
    state: served ? { phase: 'ready', events: [served], confirmed: true } : LOADING,
  }))
  // The first rows are shown already.
  const [hasFirst] = useState(served !== undefined)
  useEffect(() => {
    let alive = true
    let isLive = false
    const put = (state: EventsState) => {
      if (alive) setReceived((last) => (last.key !== key || mayFollow(state, last.state) ? { key, state } : last))
    }
    const onError = (error: unknown) => {
      isLive = true
      console.error(error)
      put({ phase: 'error' })
    }
    const list = {}
    let grace: ReturnType<typeof setTimeout> | undefined
    const onEvents = (events: PublicEvent[], confirmed: boolean) => {
      isLive ||= confirmed
      clearTimeout(grace)
      if (confirmed) setUnconfirmed(list, false)
      else grace = setTimeout(() => setUnconfirmed(list, true), GRACE_MS)
      put({ phase: 'ready', events, confirmed })
    }
    const onFirstRows = (events: PublicEvent[]) => {
      if (!isLive) put({ phase: 'ready', events, confirmed: true })
    }
    const stop = listen(selection, { onEvents, onError }, live ? moment : whenSeen)
    // A failure of the first read has no consequence, because the live query follows.
    const leave =
      !live && !hasFirst && onPhone() ? moment(() => void readFirst(selection, onFirstRows).catch(() => undefined)) : () => undefined
    return () => {
      alive = false
      clearTimeout(grace)
      setUnconfirmed(list, false)
      leave()
      stop()
    }
    // The key identifies the query.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, moment, hasFirst])
  return received.key === key ? received.state : LOADING
}
