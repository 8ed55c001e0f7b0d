import { describe, expect, it } from 'vitest'
import { es } from '../../i18n/es-admin'
import { checkDraft, checkEvent, limits } from './event-schema'
import { dateText, isoDate } from './event-text'
import { blank, type Values, valuesOf } from './event-values'

const good: Values = {
  title: ' Concierto ',
  description: 'Gratis',
  date: '2027-09-05',
  time: '19:30',
  location: 'Teatro',
  featuredArtist: ' ',
  price: ' 1500.50 ',
  imageUrl: '',
  imageAlt: '',
}
const { incomplete, invalidPrice, invalidDate } = es.events

describe('check', () => {
  it('makes the event of trimmed texts', () => {
    expect(checkEvent(good)).toEqual({
      ok: true,
      values: {
        title: 'Concierto',
        description: 'Gratis',
        location: 'Teatro',
        featuredArtist: '',
        price: 1500.5,
        date: '2027-09-05',
        time: '19:30',
        eventDate: new Date('2027-09-05T19:30:00-04:00'),
        imageUrl: '',
        imageAlt: '',
      },
    })
  })
  it.each(['title', 'description', 'date', 'time', 'location'] as const)('requires %s', (field) => {
    expect(checkEvent({ ...good, [field]: '  ' })).toEqual({ ok: false, message: incomplete, field })
  })
  it.each([
    ['', null],
    ['0', 0],
    ['-0', 0],
    ['0.01', 0.01],
    ['0.29', 0.29],
    ['1e3', 1000],
    ['1,500', 1500],
    ['RD$ 1,500.50', 1500.5],
    ['1 000', 1000],
    ['1,234,567.89', 1234567.89],
    ['10000000', 10_000_000],
  ])('reads the price %j as %j', (price, expected) => {
    const result = checkEvent({ ...good, price })
    expect(result.ok && Object.is(result.values.price, expected)).toBe(true)
  })
  it.each(['abc', '-1', '1,50', '1,5000', '0.001', 'Infinity', 'NaN', '10000000.01', '12,345,678'])('refuses the price %j', (price) => {
    expect(checkEvent({ ...good, price })).toEqual({ ok: false, message: invalidPrice, field: 'price' })
  })
  it.each([
    [{ date: '2027-02-30' }, 'date'],
    [{ date: '30/02/2027' }, 'date'],
    [{ date: '5 de mayo' }, 'date'],
    [{ time: '25:00' }, 'time'],
    [{ time: '13 pm' }, 'time'],
    [{ time: '0:30 a. m.' }, 'time'],
    [{ time: '19' }, 'time'],
  ] as const)('knows no moment %j', (change, field) => {
    expect(checkEvent({ ...good, ...change })).toEqual({ ok: false, message: invalidDate, field })
  })
  it('requires a description of an uploaded picture, and discards that of a removed one', () => {
    const imageUrl = '/imagenes/a-700x500/960.webp'
    expect(checkEvent({ ...good, imageUrl, imageAlt: ' ' })).toEqual({ ok: false, message: es.picture.wantsAlt, field: 'imageAlt' })
    expect(checkEvent({ ...good, imageUrl, imageAlt: ' El coro ' })).toMatchObject({ values: { imageUrl, imageAlt: 'El coro' } })
    expect(checkEvent({ ...good, imageUrl: '', imageAlt: 'El coro' })).toMatchObject({ values: { imageUrl: '', imageAlt: '' } })
    expect(checkEvent({ ...good, imageUrl: '/fotos/gala.jpg' })).toMatchObject({ ok: true })
  })
  it('refuses what firestore.rules would refuse as too long', () => {
    const title = 'a'.repeat(limits.title + 1)
    expect(checkEvent({ ...good, title })).toEqual({ ok: false, message: 'Escribe como máximo 150 caracteres.', field: 'title' })
  })
  it('checks in the order of the brief', () => {
    expect(checkEvent({ ...good, title: '', price: 'x', date: 'x' })).toMatchObject({ message: incomplete })
    expect(checkEvent({ ...good, price: 'x', date: 'x' })).toMatchObject({ message: invalidPrice })
  })
  it.each([
    ['5/9/2031', '9:05', '2031-09-05', '09:05'],
    ['05/09/2031', '19:30', '2031-09-05', '19:30'],
    ['05-12-2026', '7:30 p. m.', '2026-12-05', '19:30'],
    ['5.12.2026', '12:05 a. m.', '2026-12-05', '00:05'],
    ['2026-12-05', '12 PM', '2026-12-05', '12:00'],
  ])('reads %s %s', (date, time, storedDate, storedTime) => {
    expect(checkEvent({ ...good, date, time })).toMatchObject({ ok: true, values: { date: storedDate, time: storedTime } })
  })
})

it('an older event takes date and time from its moment', () => {
  const values = valuesOf({
    id: 'a',
    title: 'T',
    description: '',
    location: '',
    featuredArtist: '',
    price: null,
    date: 'pronto',
    time: '',
    eventDate: new Date('2027-09-05T23:30:00Z'),
    imageUrl: '',
    imageAlt: '',
  })
  expect(values).toMatchObject({ date: '05/09/2027', time: '19:30', price: '' })
})

describe('checkDraft', () => {
  it('requires only a title', () => {
    expect(checkDraft({ ...blank, title: ' Gala ' })).toEqual({
      ok: true,
      values: { ...blank, title: 'Gala', price: null, eventDate: null },
    })
    expect(checkDraft({ ...blank, location: 'Teatro' })).toEqual({ ok: false, message: es.drafts.wantsTitle, field: 'title' })
  })
  it('has its moment as soon as day and time are understood, and keeps what is not', () => {
    expect(checkDraft({ ...good, date: '5/9/2027', time: '7:30 p. m.' })).toMatchObject({
      values: { date: '2027-09-05', time: '19:30', eventDate: new Date('2027-09-05T23:30:00Z'), price: 1500.5 },
    })
    expect(checkDraft({ ...good, time: 'de noche' })).toMatchObject({ values: { date: '2027-09-05', time: 'de noche', eventDate: null } })
    expect(checkDraft({ ...good, date: 'x'.repeat(50) })).toMatchObject({ values: { date: 'x'.repeat(40), eventDate: null } })
  })
  it('refuses a price that is none, which could not be kept', () => {
    expect(checkDraft({ ...good, price: 'mucho' })).toEqual({ ok: false, message: invalidPrice, field: 'price' })
  })
})

it('shows a stored date as the form’s hint does, and parses it', () => {
  expect(dateText('2031-09-05')).toBe('05/09/2031')
  expect(isoDate(dateText('2031-09-05'))).toBe('2031-09-05')
  expect(dateText('el viernes')).toBe('el viernes')
})
