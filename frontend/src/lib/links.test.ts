import { expect, it } from 'vitest'
import { calendarLink, mapLink } from './links'

it('a map link carries the place whole, and a blank place has none', () => {
  const link = mapLink(' Teatro Nacional & Sala 2 ')
  expect(new URL(link ?? '').searchParams.get('query')).toBe('Teatro Nacional & Sala 2')
  expect(mapLink('   ')).toBeNull()
})

it('a calendar link lasts two hours in UTC and keeps & and ñ', () => {
  const appointment = { title: 'Niños & música', description: 'a=b#c', place: 'Sala ñ', inicio: new Date('2027-09-05T19:30:00-04:00') }
  const { host, searchParams } = new URL(calendarLink(appointment))
  expect(host).toBe('calendar.google.com')
  expect(Object.fromEntries(searchParams)).toEqual({
    action: 'TEMPLATE',
    text: 'Niños & música',
    dates: '20270905T233000Z/20270906T013000Z',
    details: 'a=b#c',
    location: 'Sala ñ',
  })
})
