import { t } from '../i18n/es'

/** The collections that visitors write to. Their spelling is part of the data. */
export type Collection = 'Massive Boletin' | 'ContactRequests' | 'voluntaryAplications' | 'IntrumentRental'

/**
 * The limits of a field: at most `maxLength` characters after trimming (F-807). An `email` is converted to lower case
 * and checked. An `anyEmail` is also converted, but only the browser checks it (D-06).
 */
export type FieldRule = { kind: 'text' | 'email' | 'anyEmail'; required: boolean; maxLength: number }

/** A public form: its fields with limits and messages, the constants stored with them, and the message if storing fails. */
export type FormDefinition = {
  collection: Collection
  fields: Readonly<Record<string, FieldRule>>
  /** The message if a required field is blank. */
  missing: string
  constants: Readonly<Record<string, string>>
  failure: string
}

const text = (maxLength: number, required = true): FieldRule => ({ kind: 'text', required, maxLength })
const email: FieldRule = { kind: 'email', required: true, maxLength: 254 }

/** Newsletter, F-110 F-111 F-500. */
export const newsletter: FormDefinition = {
  collection: 'Massive Boletin',
  fields: { email },
  missing: t.errors.email,
  constants: { source: 'homepage' },
  failure: t.errors.newsletter,
}

/** Contact, F-161 F-162 F-501. */
export const contact: FormDefinition = {
  collection: 'ContactRequests',
  fields: { name: text(120), email: { ...email, kind: 'anyEmail' }, subject: text(150), message: text(5000) },
  missing: t.errors.contactIncomplete,
  constants: { status: 'new' },
  failure: t.errors.contacto,
}

/** Volunteers, F-211 F-214 F-502. */
export const volunteer: FormDefinition = {
  collection: 'voluntaryAplications',
  fields: { fullName: text(120), email, phone: text(40), message: text(5000, false) },
  missing: t.errors.volunteerIncomplete,
  constants: { status: 'new', source: 'voluntarios-page' },
  failure: t.errors.volunteer,
}

/** Instruments, F-225 F-226 F-503. */
export const rental: FormDefinition = {
  collection: 'IntrumentRental',
  fields: { fullName: text(120), email, message: text(5000) },
  missing: t.errors.instrumentIncomplete,
  constants: { source: 'instrumentos-page', status: 'new' },
  failure: t.errors.instrument,
}
