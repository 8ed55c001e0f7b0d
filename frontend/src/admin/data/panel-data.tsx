import { createContext, useContext, useMemo, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { Person } from '../../firebase/session'
import { useNarrow } from '../use-narrow'
import { eventsWanted, extentOf, type Extent } from './extent'
import { join, newestFirst, type Live } from './live'
import {
  contact,
  draftEvent,
  musicEvent,
  olderVolunteer,
  person,
  rental,
  subscription,
  volunteer,
  type Administrator,
  type Contact,
  type DraftEvent,
  type MusicEvent,
  type Rental,
  type Subscription,
  type Volunteer,
} from './rows'
import { useLiveRows } from './use-live-rows'

/** The signed-in user and the panel's lists. Lists of other tabs contain no more rows than the open tab needs. */
export type PanelData = {
  me: Person
  people: Live<Administrator>
  events: Live<MusicEvent>
  drafts: Live<DraftEvent>
  subscriptions: Live<Subscription>
  volunteers: Live<Volunteer>
  contacts: Live<Contact>
  rentals: Live<Rental>
}

const Context = createContext<PanelData | null>(null)
const newest = { field: 'createdAt', direction: 'desc' } as const

const lastChanged = { field: 'updatedAt', direction: 'desc' } as const

/** The maximum number of drafts shown. */
const DRAFTS = 100

/** The number of administrators that are always watched, for the names of the authors of changes. */
const PEOPLE = 100

/** Watches the list of the open tab (F-407, F-332) while the panel is shown, for administrators only. */
export function PanelDataProvider({ me, children }: { me: Person; children: ReactNode }) {
  const [params] = useSearchParams()
  // The boundary between past and upcoming is fixed when the panel opens, so that events do not move while they are used.
  const [now] = useState(() => new Date())
  const open = params.get('tab') ?? ''
  const extent = (tab: string): Extent => (tab === open ? extentOf(params) : 0)
  const shown = extent('administradores')
  const most = shown === 'all' ? shown : Math.max(PEOPLE, shown)
  const people = useLiveRows({ name: 'adminusers', order: newest, extent: most, schema: person })
  const wanted = eventsWanted(open === 'eventos' ? params : new URLSearchParams(), now, useNarrow())
  const events = useLiveRows({ name: 'MusicEvent', ...wanted, extent: open === 'eventos' ? wanted.extent : 0, schema: musicEvent })
  const drafts = useLiveRows({ name: 'MusicEventDrafts', order: lastChanged, extent: open === 'eventos' ? DRAFTS : 0, schema: draftEvent })
  const subscriptions = useLiveRows({ name: 'Massive Boletin', order: newest, extent: extent('boletin'), schema: subscription })
  const recent = useLiveRows({ name: 'voluntaryAplications', order: newest, extent: extent('voluntarios'), schema: volunteer })
  const older = useLiveRows({ name: 'voluntaryApplications', order: newest, extent: extent('voluntarios'), schema: olderVolunteer })
  const contacts = useLiveRows({ name: 'ContactRequests', order: newest, extent: extent('contactos'), schema: contact })
  const rentals = useLiveRows({ name: 'IntrumentRental', order: newest, extent: extent('instrumentos'), schema: rental })
  const volunteers = useMemo(() => join(recent, older, newestFirst), [recent, older])
  const data = useMemo(
    () => ({ me, people, events, drafts, subscriptions, volunteers, contacts, rentals }),
    [me, people, events, drafts, subscriptions, volunteers, contacts, rentals],
  )
  return <Context value={data}>{children}</Context>
}

/** The panel's lists. */
export function usePanelData(): PanelData {
  const data = useContext(Context)
  if (!data) throw new Error('usePanelData outside the panel')
  return data
}
