import { useEffect, useState } from 'react'
import type { PublicEvent } from './event'
import { type When, afterPaint } from './when'

/** The module of live events, which loads Firestore. */
type LiveModule = typeof import('../firebase/events')

/** The state of a live list. `confirmed` is false while it is from the cache only. */
export type EventsState = { phase: 'loading' } | { phase: 'error' } | { phase: 'ready'; events: PublicEvent[]; confirmed: boolean }

/** Begins to listen with the module and a callback, and returns a function that stops. */
export type Subscribe = (
  live: LiveModule,
  listener: { onEvents: (events: PublicEvent[], confirmed: boolean) => void; onError: (error: Error) => void },
) => () => void

const LOADING: EventsState = { phase: 'loading' }

/** Live events; the query starts when the browser is idle. `key` identifies the query: another key starts a new one. */
export function useEvents(key: string, subscribe: Subscribe, moment: When = afterPaint): EventsState {
  const [received, setReceived] = useState<{ key: string; state: EventsState }>({ key, state: LOADING })
  useEffect(() => {
    let stop = () => undefined as void
    let alive = true
    const put = (state: EventsState) => {
      if (alive) setReceived({ key, state })
    }
    const onError = (error: unknown) => {
      console.error(error)
      put({ phase: 'error' })
    }
    const onEvents = (events: PublicEvent[], confirmed: boolean) => put({ phase: 'ready', events, confirmed })
    const forget = moment(() => {
      // Listening itself may refuse at once, such as what is no name of a document.
      import('../firebase/events')
        .then((live) => {
          if (alive) stop = subscribe(live, { onEvents, onError })
        })
        .catch(onError)
    })
    return () => {
      alive = false
      forget()
      stop()
    }
    // The listener is named by its key.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, moment])
  return received.key === key ? received.state : LOADING
}
