import { useEffect, useMemo, useState } from 'react'
import * as v from 'valibot'
import type { Condition, Order, Row } from '../../firebase/panel'
import type { Extent } from './extent'
import type { Live } from './live'
import { useCount } from './use-count'

/** How long rows may be unconfirmed before they are shown as old. Confirmation usually follows immediately. */
const GRACE_MS = 1500

/** The watched rows of a collection. */
export type Watched<T> = {
  name: string
  order: Order
  extent: Extent
  only?: Condition | undefined
  /** Parses a row. */
  schema: v.GenericSchema<unknown, T>
}

/** The last received rows, and the query that was sent for them. */
type Received<T> =
  | { status: 'loading' }
  | { status: 'error' }
  | { status: 'ready'; rows: readonly T[]; offline: boolean; extent: Extent; key: string }

/** Watches rows of a collection and counts the others. */
export function useLiveRows<T>(watched: Watched<T>): Live<T> {
  const { name, order, extent, only, schema } = watched
  const [received, setReceived] = useState<Received<T>>({ status: 'loading' })
  const { field, direction } = order
  // A condition is identified by its content: another object with the same content is the same condition.
  const key = JSON.stringify([direction, only ?? null])
  useEffect(() => {
    if (extent === 0) return undefined
    let stop: (() => void) | undefined
    let grace: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const receive = (rows: Row[], fromCache: boolean) => {
      clearTimeout(grace)
      const parsed = rows.map((row) => v.parse(schema, { ...row.fields, id: row.id }))
      const ready = (offline: boolean): Received<T> => ({ status: 'ready', rows: parsed, offline, extent, key })
      if (!fromCache) setReceived(ready(false))
      else {
        grace = setTimeout(() => setReceived(ready(true)), GRACE_MS)
        if (parsed.length > 0) setReceived((old) => ready(old.status === 'ready' && old.offline))
      }
    }
    const start = async () => {
      const { watchRows } = await import('../../firebase/panel')
      if (stopped) return
      const most = extent === 'all' ? undefined : extent
      stop = watchRows(
        name,
        { order: { field, direction }, most, only },
        ({ rows, fromCache }) => receive(rows, fromCache),
        () => {
          clearTimeout(grace)
          setReceived({ status: 'error' })
        },
      )
    }
    start().catch(() => setReceived({ status: 'error' }))
    return () => {
      stopped = true
      clearTimeout(grace)
      stop?.()
    }
    // oxlint-disable-next-line react/exhaustive-deps
  }, [name, field, direction, key, extent, schema])
  // The list has the requested number of rows. There may be more, which the server counts again whenever the rows change.
  const full = received.status === 'ready' && received.rows.length === received.extent
  const counted = useCount(full ? name : '', only, received)
  return useMemo(() => {
    if (received.status !== 'ready') return received
    const whole = async () => {
      const { readRows } = await import('../../firebase/panel')
      const rows = await readRows(name, { order: { field, direction }, only })
      return rows.map((row) => v.parse(schema, { ...row.fields, id: row.id }))
    }
    const total = full ? Math.max(counted ?? 0, received.rows.length) : received.rows.length
    const partial = received.key !== key || (full && received.extent !== extent)
    return { status: 'ready', rows: received.rows, offline: received.offline, total, partial, whole }
    // oxlint-disable-next-line react/exhaustive-deps
  }, [received, counted, full, name, field, direction, key, extent, schema])
}
