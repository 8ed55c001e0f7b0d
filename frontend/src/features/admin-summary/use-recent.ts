import { useState } from 'react'
import { contact, olderVolunteer, rental, subscription, volunteer } from '../../admin/data/rows'
import { useLiveRows } from '../../admin/data/use-live-rows'
import { byWeek } from './weeks'

/** The number of weeks that the summary shows. */
export const WEEKS = 8
/** The maximum number of a collection's forms that are watched. */
const MOST = 500

const newest = { field: 'createdAt', direction: 'desc' } as const

/** The forms of the last weeks. */
export type Recent = ReturnType<typeof useRecent>

/** Watches the forms of the last weeks, by their time of arrival. */
export function useRecent(now: Date) {
  const [first] = useState(() => byWeek([], now, WEEKS)[0]?.start ?? now)
  const recent = { order: newest, extent: MOST, only: ['createdAt', '>=', first] as const }
  return {
    contacts: useLiveRows({ name: 'ContactRequests', ...recent, schema: contact }),
    volunteers: useLiveRows({ name: 'voluntaryAplications', ...recent, schema: volunteer }),
    older: useLiveRows({ name: 'voluntaryApplications', ...recent, schema: olderVolunteer }),
    rentals: useLiveRows({ name: 'IntrumentRental', ...recent, schema: rental }),
    subscriptions: useLiveRows({ name: 'Massive Boletin', ...recent, schema: subscription }),
  }
}
