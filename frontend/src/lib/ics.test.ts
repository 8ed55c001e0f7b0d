import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ics } from './ics'

const inicio = new Date('2027-09-05T23:30:00Z')
const appointment = { title: 'Son, jazz; y más', description: 'Línea 1\nLínea 2 \\ fin', place: 'Sala ñ', inicio }

it('writes an event of two hours in UTC', () => {
  const text = ics('abc', appointment)
  expect(text).toContain('DTSTART:20270905T233000Z\r\nDTEND:20270906T013000Z')
  expect(text).toContain('UID:abc@todopormediodelamusica')
  expect(text).toContain(String.raw`SUMMARY:Son\, jazz\; y más`)
  expect(text).toContain(String.raw`DESCRIPTION:Línea 1\nLínea 2 \\ fin`)
})

it('lets no text begin a line of its own', () => {
  for (const jump of ['\n', '\r\n', '\r']) {
    expect(ics('abc', { ...appointment, title: `Son${jump}ATTENDEE:x` })).toContain(String.raw`SUMMARY:Son\nATTENDEE:x`)
  }
})

it('never writes a line over 75 octets nor loses a letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (raw) => {
      const description = raw.replaceAll(/[\r\n\\;,]/g, '')
      const text = ics('abc', { ...appointment, description })
      expect(text.split('\r\n').every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true)
      expect(text.replaceAll('\r\n ', '')).toContain(`DESCRIPTION:${description}`)
    }),
  )
})
