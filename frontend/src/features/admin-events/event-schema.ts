import * as v from 'valibot'
import { checkForm, filled } from '../../admin/form-check'
import type { DraftFields } from '../../firebase/draft-writes'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { momentOf } from '../../lib/dates'
import { uploadedPicture } from '../../lib/picture'
import { clockTime, isoDate, priceOf } from './event-text'
import type { Name, Values } from './event-values'

/** The maximum lengths of an event's texts, in characters (F-807). rules-test compares them with firestore.rules. */
export const limits = { title: 150, description: 5000, location: 200, featuredArtist: 200, imageUrl: 2000, imageAlt: 300 } as const
/** The maximum length of a draft's date or time that cannot be parsed and is kept as text. */
const MAX_DRAFT_MOMENT = 40

const { events, picture, drafts } = es

const limited = (name: keyof typeof limits) => v.maxLength<string, number, string>(limits[name], es.long(limits[name]))
const required = (name: 'title' | 'description' | 'location') => v.pipe(filled(events.incomplete), limited(name))
const optional = (name: keyof typeof limits) => v.pipe(v.string(), v.trim(), limited(name))
const price = v.pipe(
  v.string(),
  v.check((text) => priceOf(text) !== undefined, events.invalidPrice),
  v.transform((text) => priceOf(text) ?? null),
)

/** A published event. Blank fields are reported first, then the price, the date and the picture (F-504, F-505, F-506). */
export const eventSchema = v.pipe(
  v.object({
    title: required('title'),
    date: v.pipe(filled(events.incomplete), v.transform(isoDate)),
    time: v.pipe(filled(events.incomplete), v.transform(clockTime)),
    location: required('location'),
    description: required('description'),
    featuredArtist: optional('featuredArtist'),
    price,
    imageUrl: optional('imageUrl'),
    imageAlt: optional('imageAlt'),
  }),
  v.forward(
    v.partialCheck([['date']], ({ date }) => momentOf(date, '00:00') !== null, events.invalidDate),
    ['date'],
  ),
  v.forward(
    v.partialCheck([['time']], ({ time }) => momentOf('2000-01-01', time) !== null, events.invalidDate),
    ['time'],
  ),
  v.forward(
    v.partialCheck(
      [['imageUrl'], ['imageAlt']],
      ({ imageUrl, imageAlt }) => imageAlt !== '' || !uploadedPicture(imageUrl),
      picture.wantsAlt,
    ),
    ['imageAlt'],
  ),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): EventFields => {
    const eventDate = momentOf(value.date, value.time)
    if (eventDate) return { ...value, imageAlt: value.imageUrl ? value.imageAlt : '', eventDate }
    addIssue({ message: events.invalidDate })
    return NEVER
  }),
)

const moment = (read: (text: string) => string) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.transform((text) => read(text).slice(0, MAX_DRAFT_MOMENT)),
  )

/** A draft requires only a title. A date or time that cannot be parsed is kept as text. */
export const draftSchema = v.pipe(
  v.object({
    title: v.pipe(filled(drafts.wantsTitle), limited('title')),
    date: moment(isoDate),
    time: moment(clockTime),
    location: optional('location'),
    description: optional('description'),
    featuredArtist: optional('featuredArtist'),
    price,
    imageUrl: optional('imageUrl'),
    imageAlt: optional('imageAlt'),
  }),
  v.transform((draft): DraftFields => ({ ...draft, eventDate: momentOf(draft.date, draft.time) })),
)

/** Checks the fields of an event. */
export const checkEvent = (values: Values) => checkForm<Name, EventFields>(eventSchema, values)

/** Checks the fields of a draft. */
export const checkDraft = (values: Values) => checkForm<Name, DraftFields>(draftSchema, values)
