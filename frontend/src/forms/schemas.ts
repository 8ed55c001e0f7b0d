import { t } from '../i18n/es'

/** The collections that visitors write to. Their spellings are the data's own. */
export type Collection = 'Massive Boletin' | 'ContactRequests' | 'voluntaryAplications' | 'IntrumentRental'

/**
 * What a field may hold, trimmed: at most `maxLength` characters (F-807). An `email` is kept in small letters and must look like
 * one; an `anyEmail` too, but the browser decides what one looks like (D-06).
 */
export type FieldRule = { kind: 'text' | 'email' | 'anyEmail'; required: boolean; maxLength: number }

/** A public form: its fields with limits and messages, what is stored beside them, and what is said when storing fails. */
export type FormDefinition = {
  collection: Collection
  fields: Readonly<Record<string, FieldRule>>
  /** What is said when a required field is blank. */
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
