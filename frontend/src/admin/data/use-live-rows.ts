import { useEffect, useState } from 'react'
import * as v from 'valibot'
import type { Order } from '../../firebase/panel'
import type { Live } from './live'

/** How long rows may stay unconfirmed before they count as old: confirmation usually follows in a moment. */
const GRACE_MS = 1500

type Schema<T> = v.GenericSchema<unknown, T>

/** Watches a collection and reads its rows by a schema. */
export function useLiveRows<T>(name: string, order: Order, schema: Schema<T>): Live<T> {
  const [live, setLive] = useState<Live<T>>({ status: 'loading' })
  const { field, direction } = order
  useEffect(() => {
    let stop: (() => void) | undefined
    let grace: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const start = async () => {
      const { watchRows } = await import('../../firebase/panel')
      if (stopped) return
      stop = watchRows(
        name,
        { field, direction },
        ({ rows, fromCache }) => {
          clearTimeout(grace)
          const parsed = rows.map((row) => v.parse(schema, { ...row.fields, id: row.id }))
          const late = () => setLive({ status: 'ready', rows: parsed, offline: true })
          if (!fromCache) setLive({ status: 'ready', rows: parsed, offline: false })
          else {
            grace = setTimeout(late, GRACE_MS)
            if (parsed.length > 0) setLive((old) => ({ status: 'ready', rows: parsed, offline: old.status === 'ready' && old.offline }))
          }
        },
        () => {
          clearTimeout(grace)
          setLive({ status: 'error' })
        },
      )
    }
    start().catch(() => setLive({ status: 'error' }))
    return () => {
      stopped = true
      clearTimeout(grace)
      stop?.()
    }
  }, [name, field, direction, schema])
  return live
}
