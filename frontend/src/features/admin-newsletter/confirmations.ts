import { useEffect, useMemo, useState } from 'react'
import type { Live } from '../../admin/data/live'
import type { Subscription } from '../../admin/data/rows'

/** A subscription with the time at which its address was confirmed: null if it was not, undefined if it is not known yet. */
export type Confirmable = Subscription & { confirmedAt: Date | null | undefined }

/** The times of the confirmation of addresses, by address. The back office knows them. */
async function timesOf(rows: readonly Subscription[]): Promise<Map<string, Date | null>> {
  const { confirmationTimes } = await import('../../firebase/back-office-admin')
  const emails = [...new Set(rows.map((row) => row.email))]
  const times = await confirmationTimes(emails)
  return new Map(emails.map((email, i) => [email, times[i] ?? null]))
}

/** The rows of confirmed addresses. Rejects if the back office does not know them. */
export async function onlyConfirmed<T extends Subscription>(rows: readonly T[]): Promise<T[]> {
  const times = await timesOf(rows)
  return rows.filter((row) => times.get(row.email))
}

/** Adds to subscriptions whether their addresses are confirmed. It is asked again whenever the list changes. */
export function useConfirmations(live: Live<Subscription>): Live<Confirmable> {
  const [known, setKnown] = useState<ReadonlyMap<string, Date | null>>(new Map())
  const rows = live.status === 'ready' ? live.rows : undefined
  useEffect(() => {
    if (!rows || rows.length === 0) return undefined
    let left = false
    timesOf(rows).then(
      (times) => {
        if (!left) setKnown((before) => new Map([...before, ...times]))
      },
      // The column has no values, and the export reports the failure.
      (error: unknown) => console.error(error),
    )
    return () => {
      left = true
    }
  }, [rows])
  return useMemo(() => {
    if (live.status !== 'ready') return live
    const add = (all: readonly Subscription[]) => all.map((row) => ({ ...row, confirmedAt: known.get(row.email) }))
    return {
      ...live,
      rows: add(live.rows),
      whole: async () => {
        const all = await live.whole()
        // The file has the values also without the back office's answer: as unknown.
        const times = await timesOf(all).catch(() => known)
        return all.map((row) => ({ ...row, confirmedAt: times.get(row.email) }))
      },
    }
  }, [live, known])
}
