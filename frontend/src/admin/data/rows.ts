import * as v from 'valibot'
import { es } from '../../i18n/es-admin'

/** A text, or undefined for other types. */
const text = v.fallback(v.string(), '')
const moment = v.fallback(v.nullable(v.date()), null)
const number = v.fallback(v.nullable(v.pipe(v.number(), v.finite())), null)

/** The status of a form (P-03). An unknown one counts as new, the default in the contract. */
export const statuses = ['new', 'in-progress', 'resolved', 'discarded'] as const
export type Status = (typeof statuses)[number]
const status = v.fallback(v.picklist(statuses), 'new')
const progress = { status, statusBy: text, statusAt: moment }

export const person = v.object({
  id: v.string(),
  firstName: text,
  lastName: text,
  email: text,
  role: text,
  active: v.fallback(v.boolean(), false),
  createdAt: moment,
  displayName: text,
})
export type Administrator = v.InferOutput<typeof person>

export const musicEvent = v.object({
  id: v.string(),
  title: text,
  description: text,
  location: text,
  featuredArtist: text,
  price: number,
  date: text,
  time: text,
  eventDate: moment,
  imageUrl: text,
  imageAlt: text,
})
export type MusicEvent = v.InferOutput<typeof musicEvent>

/** An event that is not published (P-05), with the time at which the back office publishes it, if one was set. */
export const draftEvent = v.object({ ...musicEvent.entries, publishAt: moment })
export type DraftEvent = v.InferOutput<typeof draftEvent>

export const subscription = v.object({ id: v.string(), email: text, source: text, createdAt: moment })
export type Subscription = v.InferOutput<typeof subscription>

export const contact = v.object({
  id: v.string(),
  name: text,
  email: text,
  subject: text,
  message: text,
  createdAt: moment,
  ...progress,
})
export type Contact = v.InferOutput<typeof contact>

/** Volunteers in either collection. The older one has `motivation` and is never written. */
const volunteerFields = v.object({
  id: v.string(),
  fullName: text,
  email: text,
  phone: text,
  motivation: text,
  message: text,
  createdAt: moment,
  ...progress,
})
const volunteerOf = (fixed: boolean, prefix: string) =>
  v.pipe(
    volunteerFields,
    v.transform(({ id, message, ...row }) => ({ ...row, id: `${prefix}${id}`, motivation: row.motivation || message, fixed })),
  )
export const volunteer = volunteerOf(false, '')
/** The same id may exist in both collections. In the merged list, ids of the older one have a prefix. */
export const olderVolunteer = volunteerOf(true, 'voluntaryApplications/')
export type Volunteer = v.InferOutput<typeof volunteer>

export const rental = v.object({
  id: v.string(),
  fullName: text,
  email: text,
  message: text,
  source: v.fallback(v.pipe(v.string(), v.nonEmpty()), es.instrumentsSource),
  createdAt: moment,
  ...progress,
})
export type Rental = v.InferOutput<typeof rental>
