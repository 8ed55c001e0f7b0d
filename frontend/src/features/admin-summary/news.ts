import { newestFirst, rowsOf } from '../../admin/data/live'
import type { Status } from '../../admin/data/rows'
import type { Recent } from './use-recent'

/** The tab that contains a form. */
type Tab = 'contactos' | 'voluntarios' | 'instrumentos'

/** A form that waits for an answer. */
export type NewForm = { id: string; tab: Tab; who: string; text: string; createdAt: Date | null }

type Common = { id: string; status: Status; createdAt: Date | null }

/** The new forms of all kinds, newest first. */
export function newForms({
  contacts,
  volunteers,
  older,
  rentals,
}: Pick<Recent, 'contacts' | 'volunteers' | 'older' | 'rentals'>): NewForm[] {
  const of = <Row extends Common>(tab: Tab, rows: readonly Row[], parts: (row: Row) => { who: string; text: string }) =>
    rows.filter(({ status }) => status === 'new').map((row) => ({ id: `${tab}/${row.id}`, tab, createdAt: row.createdAt, ...parts(row) }))
  return [
    ...of('contactos', rowsOf(contacts), ({ name, subject, message }) => ({ who: name, text: subject || message })),
    ...of('voluntarios', rowsOf(volunteers), ({ fullName, motivation }) => ({ who: fullName, text: motivation })),
    ...of('voluntarios', rowsOf(older), ({ fullName, motivation }) => ({ who: fullName, text: motivation })),
    ...of('instrumentos', rowsOf(rentals), ({ fullName, message }) => ({ who: fullName, text: message })),
  ].toSorted(newestFirst)
}
