import { serverTimestamp, Timestamp } from 'firebase/firestore'
import { checkDraft, checkEvent, limits } from '../src/features/admin-events/event-schema'
import { MAX_PRICE } from '../src/features/admin-events/event-text'
import { blank, type Values } from '../src/features/admin-events/event-values'
import { check } from '../src/forms/check'
import { contact, type FieldRule, type FormDefinition, newsletter, rental, volunteer } from '../src/forms/schemas'

export type Fields = Record<string, unknown>
/** A change to a valid document: fields to set; `undefined` removes a field. */
export type Change = readonly [what: string, change: Fields]

/** The input of a visitor, by field name. */
const typed: Record<string, string> = {
  name: 'Ana Pérez',
  fullName: 'Ana Pérez',
  email: 'ana@correo.do',
  phone: '809 000 0000',
  subject: 'Clases',
  message: 'Hola',
}

/** The site's definitions of the four forms, by collection. The tests below fail if a limit differs from firestore.rules. */
const definitions = Object.fromEntries([newsletter, contact, volunteer, rental].map((form) => [form.collection, form]))

/** The four forms as the site sends them. */
export const forms: Record<string, Fields> = Object.fromEntries(
  Object.entries(definitions).map(([collection, definition]) => {
    const { document } = check(definition, typed)
    if (!document) throw new Error(`the site refuses its own ${collection}`)
    return [collection, { ...document, createdAt: serverTimestamp() }]
  }),
)

const past = Timestamp.fromMillis(Date.now() - 60_000)
const future = Timestamp.fromMillis(Date.now() + 3_600_000)
const long = (n: number) => 'a'.repeat(n)
const address = (n: number) => `${long(n - 5)}@b.do`

/** Changes that are invalid for every form. */
const never: Change[] = [
  ['an extra field', { extra: 1 }],
  ['an administrator’s mark', { statusBy: 'admin' }],
  ['an earlier time', { createdAt: past }],
  ['a later time', { createdAt: future }],
  ['a time that is text', { createdAt: new Date().toISOString() }],
  ['no time', { createdAt: undefined }],
  ['no address', { email: undefined }],
  ['an empty address', { email: '' }],
  ['an address that is a number', { email: 7 }],
  ['an address in capitals', { email: 'Ana@correo.do' }],
]
const notAnAddress: Change[] = [
  ['an address without a dot', { email: 'a@b' }],
  ['an address with a blank', { email: 'a b@c.d' }],
  ['an address without a name', { email: '@x.y' }],
  ['an address with a blank after it', { email: 'a@b.do ' }],
]
const notNew: Change[] = [
  ['another status', { status: 'resolved' }],
  ['no status', { status: undefined }],
]
const text = (field: string, most: number): Change[] => [
  [`no ${field}`, { [field]: undefined }],
  [`an empty ${field}`, { [field]: '' }],
  [`a blank ${field}`, { [field]: '   ' }],
  [`a ${field} that is a list`, { [field]: ['a'] }],
  [`a ${field} of ${most + 1}`, { [field]: long(most + 1) }],
]
const optional = (field: string, most: number): Change[] => [
  [`no ${field}`, { [field]: undefined }],
  [`a ${field} of ${most + 1}`, { [field]: long(most + 1) }],
  [`a ${field} that is null`, { [field]: null }],
]

/** Invalid values of a field. */
function refusedField(name: string, { kind, required, maxLength }: FieldRule): Change[] {
  if (kind === 'text') return required ? text(name, maxLength) : optional(name, maxLength)
  const tooLong: Change = [`an address of ${maxLength + 1} characters`, { [name]: address(maxLength + 1) }]
  return kind === 'email' ? [tooLong, ...notAnAddress] : [tooLong]
}

/** Invalid changes where the site writes a constant or nothing. */
function refusedConstants({ constants }: FormDefinition): Change[] {
  const source: Change[] = [
    ['another source', { source: 'elsewhere' }],
    ['no source', { source: undefined }],
  ]
  return [
    ...('source' in constants ? source : [['a source', { source: 'elsewhere' }] satisfies Change]),
    ...('status' in constants ? notNew : [['a status', { status: 'new' }] satisfies Change]),
  ]
}

/** Invalid changes of each form. */
export const refused: Record<string, Change[]> = Object.fromEntries(
  Object.entries(definitions).map(([collection, definition]) => [
    collection,
    [...never, ...refusedConstants(definition), ...Object.entries(definition.fields).flatMap(([name, rule]) => refusedField(name, rule))],
  ]),
)

/** The longest valid text of a field. */
const longest = ({ kind, maxLength }: FieldRule) => (kind === 'text' ? long(maxLength) : address(maxLength))

/** The extreme valid changes of each form. */
export const accepted: Record<string, Change[]> = Object.fromEntries(
  Object.entries(definitions).map(([collection, { fields }]) => {
    const whole: Change = ['the longest texts', Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, longest(rule)]))]
    const asBrowsers: Change[] = Object.entries(fields).flatMap(([name, { kind }]) =>
      kind === 'anyEmail' ? [['an address as browsers accept it', { [name]: 'a@b' }]] : [],
    )
    return [collection, [whole, ...asBrowsers]]
  }),
)

/** The input of an administrator in the event form. */
const typedEvent: Values = {
  title: ' Concierto ',
  description: 'Gratis para todos',
  location: 'Teatro',
  featuredArtist: '',
  price: '',
  date: '5/9/2027',
  time: '7:30 p. m.',
  imageUrl: '',
  imageAlt: '',
}

/** The event that the site's schema makes from the form, without a picture. */
function fieldsOf(checked: ReturnType<typeof checkEvent> | ReturnType<typeof checkDraft>): Fields {
  if (!checked.ok) throw new Error(`the site refuses its own event: ${checked.message}`)
  const { imageUrl: _, imageAlt: __, eventDate, ...fields } = checked.values
  return { ...fields, eventDate: eventDate && Timestamp.fromDate(eventDate) }
}

/** The author and time of an event or a draft. */
const written: Fields = {
  createdBy: 'admin',
  createdByEmail: 'admin@correo.do',
  createdAt: serverTimestamp(),
  updatedAt: serverTimestamp(),
}

/** An event in the form that the panel writes. */
export const event: Fields = { ...fieldsOf(checkEvent(typedEvent)), ...written, isPublished: true }

export const eventsRefused: Change[] = [
  ['no title', { title: undefined }],
  ['a blank title', { title: ' ' }],
  ['a title that is too long', { title: long(limits.title + 1) }],
  ['a description that is too long', { description: long(limits.description + 1) }],
  ['a description that is a number', { description: 5 }],
  ['a location that is too long', { location: long(limits.location + 1) }],
  ['an artist that is too long', { featuredArtist: long(limits.featuredArtist + 1) }],
  ['a negative price', { price: -0.01 }],
  ['a price past the highest', { price: MAX_PRICE + 0.01 }],
  ['a price that is text', { price: '100' }],
  ['a price that is not a number', { price: Number.NaN }],
  ['no moment', { eventDate: undefined }],
  ['a moment that is text', { eventDate: '2027-09-05' }],
  ['a published mark that is text', { isPublished: 'yes' }],
  ['an extra field', { html: '<b>' }],
  ['a creation that is text', { createdAt: '2027-09-05' }],
  ['a change that is a number', { updatedAt: 7 }],
  ['a picture whose text is too long', { imageUrl: '/imagenes/a-1x1/480.webp', imageAlt: long(limits.imageAlt + 1) }],
  ['a picture that is a list', { imageUrl: ['/a.webp'] }],
]

export const eventsAccepted: Change[] = [
  ['no price, artist or place', { price: null, featuredArtist: '', location: '' }],
  ['the highest price', { price: MAX_PRICE }],
  [
    'the longest texts',
    { imageUrl: '/fotos/a.webp', ...Object.fromEntries(Object.entries(limits).map(([name, most]) => [name, long(most)])) },
  ],
  ['a price of nothing', { price: 0 }],
  ['a picture', { imageUrl: '/fotos/a.webp' }],
  ['a picture that is described', { imageUrl: '/imagenes/a-1x1/480.webp', imageAlt: 'El coro' }],
  ['its earlier dates, as undoing does', { createdAt: past, updatedAt: past }],
  [
    'the fields of older events only',
    {
      description: undefined,
      location: undefined,
      featuredArtist: undefined,
      price: undefined,
      date: undefined,
      time: undefined,
      createdBy: undefined,
      createdByEmail: undefined,
      updatedAt: undefined,
      isPublished: undefined,
    },
  ],
]

/** A copy of a document with a change. */
export function changed(data: Fields, change: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...data, ...change }).filter(([, value]) => value !== undefined))
}

/** A form as it is stored: with a time instead of the sentinel of the server timestamp. */
export function stored(data: Fields): Fields {
  return { ...data, createdAt: past, ...('updatedAt' in data ? { updatedAt: past } : {}) }
}

/** A draft in the form that the panel writes: only its title is required. */
export const draft: Fields = { ...fieldsOf(checkDraft({ ...blank, title: 'Concierto' })), ...written, publishAt: null }

/** The fields that a draft may lack, unlike an event. */
export const whole: Fields = {
  description: 'Gratis para todos',
  location: 'Teatro',
  date: '2027-09-05',
  time: '19:30',
  eventDate: Timestamp.fromDate(new Date('2027-09-05T19:30:00-04:00')),
}

export const draftsRefused: Change[] = [
  ['a blank title', { title: ' ' }],
  ['a title that is too long', { title: long(limits.title + 1) }],
  ['no description', { description: undefined }],
  ['a negative price', { price: -1 }],
  ['a day of 41', { date: long(41) }],
  ['a moment that is text', { eventDate: '2027-09-05' }],
  ['an extra field', { isPublished: true }],
  ['another’s name', { createdBy: 'other' }],
  ['an earlier time', { createdAt: past }],
  ['an earlier change', { updatedAt: past }],
  ['a publication that is text', { ...whole, publishAt: '2027-09-01' }],
  ['a publication of half an event', { publishAt: future }],
  ['a publication without a place', { ...whole, location: ' ', publishAt: future }],
  ['a publication whose picture is not described', { ...whole, imageUrl: '/imagenes/a-1x1/480.webp', publishAt: future }],
  ['a publication without a moment', { ...whole, eventDate: null, publishAt: future }],
]

export const draftsAccepted: Change[] = [
  ['a title alone', {}],
  ['a whole event', whole],
  ['a picture that is not described yet', { imageUrl: '/imagenes/a-1x1/480.webp', imageAlt: '' }],
  ['a whole event with its publication', { ...whole, publishAt: future }],
]
