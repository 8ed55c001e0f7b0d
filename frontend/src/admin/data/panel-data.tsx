import { createContext, useContext, useMemo, type ReactNode } from 'react'
import type { Person } from '../../firebase/session'
import { join, newestFirst, type Live } from './live'
import {
  contact,
  musicEvent,
  olderVolunteer,
  person,
  rental,
  subscription,
  volunteer,
  type Administrator,
  type Contact,
  type MusicEvent,
  type Rental,
  type Subscription,
  type Volunteer,
} from './rows'
import { useLiveRows } from './use-live-rows'

/** Everything that the panel watches, and who looks at it. */
export type PanelData = {
  me: Person
  people: Live<Administrator>
  events: Live<MusicEvent>
  subscriptions: Live<Subscription>
  volunteers: Live<Volunteer>
  contacts: Live<Contact>
  rentals: Live<Rental>
}

const Context = createContext<PanelData | null>(null)
const newest = { field: 'createdAt', direction: 'desc' } as const
const byDate = { field: 'eventDate', direction: 'asc' } as const

/** Watches all lists of the panel (F-407) for as long as it is shown: to administrators only. */
export function PanelDataProvider({ me, children }: { me: Person; children: ReactNode }) {
  const people = useLiveRows('adminusers', newest, person)
  const events = useLiveRows('MusicEvent', byDate, musicEvent)
  const subscriptions = useLiveRows('Massive Boletin', newest, subscription)
  const recent = useLiveRows('voluntaryAplications', newest, volunteer)
  const older = useLiveRows('voluntaryApplications', newest, olderVolunteer)
  const contacts = useLiveRows('ContactRequests', newest, contact)
  const rentals = useLiveRows('IntrumentRental', newest, rental)
  const volunteers = useMemo(() => join(recent, older, newestFirst), [recent, older])
  const data = useMemo(
    () => ({ me, people, events, subscriptions, volunteers, contacts, rentals }),
    [me, people, events, subscriptions, volunteers, contacts, rentals],
  )
  return <Context value={data}>{children}</Context>
}

/** The panel's lists. */
export function usePanelData(): PanelData {
  const data = useContext(Context)
  if (!data) throw new Error('usePanelData outside the panel')
  return data
}
