import { useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { Contact, Rental, Volunteer } from '../../admin/data/rows'
import { List } from '../../admin/table/list'
import { es } from '../../i18n/es-admin'
import { type Confirmable, onlyConfirmed, useConfirmations } from '../admin-newsletter/confirmations'
import { Issues } from '../admin-newsletter/issues'
import { contactColumns, rentalColumns, subscriptionColumns, volunteerColumns } from './columns'
import { FormList } from './form-list'

/** All rows: those of addresses that are not confirmed, too. */
const every = async (rows: readonly Confirmable[]) => rows

/** The unsubscribe link of each address, for the newsletter's e-mails. */
const unsubscribing = {
  header: es.data.unsubscribeLink,
  of: async (rows: readonly Confirmable[]) => {
    const { unsubscribeLinks } = await import('../../firebase/back-office-admin')
    return unsubscribeLinks(rows.map((row) => row.email))
  },
}
const byFullName = (row: Volunteer | Rental) => row.fullName
const bySubject = (row: Contact) => row.subject || row.name

/**
 * The newsletter's subscriptions (F-328), and its issues. Other programs use the exported addresses: it has confirmed
 * ones only, unless others are wanted.
 */
export function NewsletterTab() {
  const subscriptions = useConfirmations(usePanelData().subscriptions)
  const [withAll, setWithAll] = useState(false)
  return (
    <>
      <Issues />
      <List
        label={es.tabs.boletin}
        live={subscriptions}
        columns={subscriptionColumns}
        empty={{ text: es.empties.newsletter, slot: 'vacio-registros' }}
        file={withAll ? 'boletin-con-no-confirmados' : 'boletin'}
        toExport={withAll ? every : onlyConfirmed}
        exportFailure={es.newsletter.notExported}
        exportControl={
          <label className="inline-flex min-h-11 items-center gap-2">
            <input type="checkbox" checked={withAll} onChange={(event) => setWithAll(event.target.checked)} />
            {es.newsletter.withUnconfirmed}
          </label>
        }
        exported={unsubscribing}
      />
    </>
  )
}

/** Volunteers in both collections (F-329). */
export function VolunteersTab() {
  const { volunteers } = usePanelData()
  return (
    <FormList
      label={es.tabs.voluntarios}
      live={volunteers}
      columns={volunteerColumns}
      collection="voluntaryAplications"
      title={byFullName}
      empty={{ text: es.empties.voluntarios, slot: 'vacio-registros' }}
      file="voluntarios"
    />
  )
}

/** Messages (F-330). */
export function ContactsTab() {
  const { contacts } = usePanelData()
  return (
    <FormList
      label={es.tabs.contactos}
      live={contacts}
      columns={contactColumns}
      collection="ContactRequests"
      title={bySubject}
      empty={{ text: es.empties.contacts, slot: 'vacio-mensajes' }}
      file="contactos"
    />
  )
}

/** Requests for instruments (F-331). */
export function RentalsTab() {
  const { rentals } = usePanelData()
  return (
    <FormList
      label={es.tabs.instrumentos}
      live={rentals}
      columns={rentalColumns}
      collection="IntrumentRental"
      title={byFullName}
      empty={{ text: es.empties.instrumentos, slot: 'vacio-registros' }}
      file="instrumentos"
    />
  )
}
