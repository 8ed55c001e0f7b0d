import { serverTimestamp, Timestamp } from 'firebase/firestore'

export type Fields = Record<string, unknown>
/** A change to a valid document: fields to set; `undefined` takes one away. */
export type Change = readonly [what: string, change: Fields]

/** The four forms as the site sends them. */
export const forms: Record<string, Fields> = {
  'Massive Boletin': { email: 'ana@correo.do', createdAt: serverTimestamp(), source: 'homepage' },
  ContactRequests: {
    name: 'Ana Pérez',
    email: 'ana@correo.do',
    subject: 'Clases',
    message: 'Hola',
    status: 'new',
    createdAt: serverTimestamp(),
  },
  voluntaryAplications: {
    fullName: 'Ana Pérez',
    email: 'ana@correo.do',
    phone: '809 000 0000',
    message: '',
    status: 'new',
    source: 'voluntarios-page',
    createdAt: serverTimestamp(),
  },
  IntrumentRental: {
    fullName: 'Ana Pérez',
    email: 'ana@correo.do',
    message: 'Una guitarra',
    source: 'instrumentos-page',
    status: 'new',
    createdAt: serverTimestamp(),
  },
}

const past = Timestamp.fromMillis(Date.now() - 60_000)
const future = Timestamp.fromMillis(Date.now() + 3_600_000)
const long = (n: number) => 'a'.repeat(n)
const address = (n: number) => `${long(n - 5)}@b.do`

/** What no form may be, whatever it is. */
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
  ['an address of 255 characters', { email: address(255) }],
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
const source: Change[] = [
  ['another source', { source: 'elsewhere' }],
  ['no source', { source: undefined }],
]

/** What each form may not be. */
export const refused: Record<string, Change[]> = {
  'Massive Boletin': [...never, ...notAnAddress, ...source, ['a status', { status: 'new' }]],
  ContactRequests: [
    ...never,
    ...notNew,
    ...text('name', 120),
    ...text('subject', 150),
    ...text('message', 5000),
    ['a source', { source: 'contacto' }],
  ],
  voluntaryAplications: [
    ...never,
    ...notAnAddress,
    ...notNew,
    ...source,
    ...text('fullName', 120),
    ...text('phone', 40),
    ['no message', { message: undefined }],
    ['a message of 5001', { message: long(5001) }],
    ['a message that is null', { message: null }],
  ],
  IntrumentRental: [...never, ...notAnAddress, ...notNew, ...source, ...text('fullName', 120), ...text('message', 5000)],
}

/** What each form may just be. */
export const accepted: Record<string, Change[]> = {
  'Massive Boletin': [['an address of 254', { email: address(254) }]],
  ContactRequests: [
    ['an address as browsers accept it', { email: 'a@b' }],
    ['the longest texts', { name: long(120), subject: long(150), message: long(5000), email: address(254) }],
  ],
  voluntaryAplications: [['the longest texts', { fullName: long(120), phone: long(40), message: long(5000), email: address(254) }]],
  IntrumentRental: [['the longest texts', { fullName: long(120), message: long(5000), email: address(254) }]],
}

/** An event as the panel writes it. */
export const event: Fields = {
  title: 'Concierto',
  description: 'Gratis para todos',
  location: 'Teatro',
  featuredArtist: '',
  price: null,
  date: '2027-09-05',
  time: '19:30',
  eventDate: Timestamp.fromDate(new Date('2027-09-05T19:30:00-04:00')),
  createdBy: 'admin',
  createdByEmail: 'admin@correo.do',
  createdAt: serverTimestamp(),
  updatedAt: serverTimestamp(),
  isPublished: true,
}

export const eventsRefused: Change[] = [
  ['no title', { title: undefined }],
  ['a blank title', { title: ' ' }],
  ['a title of 151', { title: long(151) }],
  ['a description of 5001', { description: long(5001) }],
  ['a description that is a number', { description: 5 }],
  ['a location of 201', { location: long(201) }],
  ['a negative price', { price: -0.01 }],
  ['a price past ten million', { price: 10_000_000.01 }],
  ['a price that is text', { price: '100' }],
  ['a price that is not a number', { price: Number.NaN }],
  ['no moment', { eventDate: undefined }],
  ['a moment that is text', { eventDate: '2027-09-05' }],
  ['a published mark that is text', { isPublished: 'yes' }],
  ['an extra field', { html: '<b>' }],
  ['a creation that is text', { createdAt: '2027-09-05' }],
  ['a change that is a number', { updatedAt: 7 }],
  ['a picture whose text is too long', { imageUrl: '/imagenes/a-1x1/480.webp', imageAlt: long(301) }],
  ['a picture that is a list', { imageUrl: ['/a.webp'] }],
]

export const eventsAccepted: Change[] = [
  ['no price, artist or place', { price: null, featuredArtist: '', location: '' }],
  ['the highest price', { price: 10_000_000 }],
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

/** A document with a change made to it. */
export function changed(data: Fields, change: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...data, ...change }).filter(([, value]) => value !== undefined))
}

/** A form as it lies in the database: with a real time instead of the server's mark. */
export function stored(data: Fields): Fields {
  return { ...data, createdAt: past, ...('updatedAt' in data ? { updatedAt: past } : {}) }
}

/** A draft as the panel keeps it: all but its title may be missing. */
export const draft: Fields = {
  title: 'Concierto',
  description: '',
  location: '',
  featuredArtist: '',
  price: null,
  date: '',
  time: '',
  eventDate: null,
  createdBy: 'admin',
  createdByEmail: 'admin@correo.do',
  createdAt: serverTimestamp(),
  updatedAt: serverTimestamp(),
  publishAt: null,
}

/** What a draft lacks until it is a whole event. */
export const whole: Fields = {
  description: 'Gratis para todos',
  location: 'Teatro',
  date: '2027-09-05',
  time: '19:30',
  eventDate: Timestamp.fromDate(new Date('2027-09-05T19:30:00-04:00')),
}

export const draftsRefused: Change[] = [
  ['a blank title', { title: ' ' }],
  ['a title of 151', { title: long(151) }],
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
