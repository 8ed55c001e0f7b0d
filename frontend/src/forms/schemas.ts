import * as v from 'valibot'
import { t } from '../i18n/es'

/** The collections that visitors write to. Their spellings are the data's own. */
export type Collection = 'Massive Boletin' | 'ContactRequests' | 'voluntaryAplications' | 'IntrumentRental'

/** An address as `firestore.rules` and §6 of the plan want it: text, `@`, text, `.`, text, without blanks. */
const ADDRESS = /^\S+@\S+\.\S+$/

const tooLong = (length: number) => v.maxLength<string, number, string>(length, t.errores.largo(length))

/** A text of at most `length` characters, trimmed; blank is refused with the form's own message. */
const required = (length: number, missing: string) => v.pipe(v.string(), v.trim(), v.nonEmpty(missing), tooLong(length))

/** Like `required`, but may be blank. */
const optional = (length: number) => v.pipe(v.string(), v.trim(), tooLong(length))

/** An address in small letters, of the form that the rules want too. */
const address = (missing: string) =>
  v.pipe(v.string(), v.trim(), v.toLowerCase(), v.nonEmpty(missing), v.regex(ADDRESS, t.errores.correo), tooLong(254))

/** A public form: its fields with limits and messages, what is stored beside them, and what is said when storing fails. */
export type FormDefinition = {
  collection: Collection
  fields: v.GenericSchema<unknown, Record<string, string>> & { readonly entries: Readonly<Record<string, object>> }
  constants: Record<string, string>
  failure: string
}

/** Newsletter, F-110 F-111 F-500. */
export const newsletter: FormDefinition = {
  collection: 'Massive Boletin',
  fields: v.object({
    email: address(t.errores.correo),
  }),
  constants: { source: 'homepage' },
  failure: t.errores.boletin,
}

/** Contact, F-161 F-162 F-501. The browser decides what an address is (D-06). */
export const contact: FormDefinition = {
  collection: 'ContactRequests',
  fields: v.object({
    name: required(120, t.errores.contactoIncompleto),
    email: v.pipe(v.string(), v.trim(), v.toLowerCase(), v.nonEmpty(t.errores.contactoIncompleto), tooLong(254)),
    subject: required(150, t.errores.contactoIncompleto),
    message: required(5000, t.errores.contactoIncompleto),
  }),
  constants: { status: 'new' },
  failure: t.errores.contacto,
}

/** Volunteers, F-211 F-214 F-502. */
export const volunteer: FormDefinition = {
  collection: 'voluntaryAplications',
  fields: v.object({
    fullName: required(120, t.errores.voluntarioIncompleto),
    email: address(t.errores.voluntarioIncompleto),
    phone: required(40, t.errores.voluntarioIncompleto),
    message: optional(5000),
  }),
  constants: { status: 'new', source: 'voluntarios-page' },
  failure: t.errores.voluntario,
}

/** Instruments, F-225 F-226 F-503. */
export const rental: FormDefinition = {
  collection: 'IntrumentRental',
  fields: v.object({
    fullName: required(120, t.errores.instrumentoIncompleto),
    email: address(t.errores.instrumentoIncompleto),
    message: required(5000, t.errores.instrumentoIncompleto),
  }),
  constants: { source: 'instrumentos-page', status: 'new' },
  failure: t.errores.instrumento,
}
