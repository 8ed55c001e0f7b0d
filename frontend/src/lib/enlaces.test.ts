import { expect, it } from 'vitest'
import { enlaceCalendario, enlaceMapa } from './enlaces'

it('a map link carries the place whole, and a blank place has none', () => {
  const enlace = enlaceMapa(' Teatro Nacional & Sala 2 ')
  expect(new URL(enlace ?? '').searchParams.get('query')).toBe('Teatro Nacional & Sala 2')
  expect(enlaceMapa('   ')).toBeNull()
})

it('a calendar link lasts two hours in UTC and keeps & and ñ', () => {
  const cita = { titulo: 'Niños & música', descripcion: 'a=b#c', lugar: 'Sala ñ', inicio: new Date('2027-09-05T19:30:00-04:00') }
  const { host, searchParams } = new URL(enlaceCalendario(cita))
  expect(host).toBe('calendar.google.com')
  expect(Object.fromEntries(searchParams)).toEqual({
    action: 'TEMPLATE',
    text: 'Niños & música',
    dates: '20270905T233000Z/20270906T013000Z',
    details: 'a=b#c',
    location: 'Sala ñ',
  })
})
