import { useState } from 'react'
import { rangeOf } from '../../lib/grid'
import type { PublicEvent } from '../../lib/event'
import { useEvents } from '../../lib/use-events'

const NONE: PublicEvent[] = []

/**
 * The events of the visible days, live. Another range is another subscription (F-243). Until its events are received,
 * `events` are those of the previous range that are also in this one.
 */
export function useRangeEvents(days: string[]): { events: PublicEvent[]; loading: boolean } {
  const { from, until } = rangeOf(days)
  const state = useEvents({ from, until })
  const [received, setReceived] = useState(NONE)
  if (state.phase === 'ready' && state.events !== received) setReceived(state.events)
  const loading = state.phase === 'loading'
  const known = loading ? received.filter(({ moment }) => moment !== null && moment >= from && moment < until) : received
  return { events: state.phase === 'error' ? NONE : known, loading }
}
