import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ics } from './ics'

const inicio = new Date('2027-09-05T23:30:00Z')
const cita = { titulo: 'Son, jazz; y más', descripcion: 'Línea 1\nLínea 2 \\ fin', lugar: 'Sala ñ', inicio }

it('writes an event of two hours in UTC', () => {
  const texto = ics('abc', cita)
  expect(texto).toContain('DTSTART:20270905T233000Z\r\nDTEND:20270906T013000Z')
  expect(texto).toContain('UID:abc@todopormediodelamusica')
  expect(texto).toContain(String.raw`SUMMARY:Son\, jazz\; y más`)
  expect(texto).toContain(String.raw`DESCRIPTION:Línea 1\nLínea 2 \\ fin`)
})

it('lets no text begin a line of its own', () => {
  for (const salto of ['\n', '\r\n', '\r']) {
    expect(ics('abc', { ...cita, titulo: `Son${salto}ATTENDEE:x` })).toContain(String.raw`SUMMARY:Son\nATTENDEE:x`)
  }
})

it('never writes a line over 75 octets nor loses a letter', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (crudo) => {
      const descripcion = crudo.replaceAll(/[\r\n\\;,]/g, '')
      const texto = ics('abc', { ...cita, descripcion })
      expect(texto.split('\r\n').every((linea) => new TextEncoder().encode(linea).length <= 75)).toBe(true)
      expect(texto.replaceAll('\r\n ', '')).toContain(`DESCRIPTION:${descripcion}`)
    }),
  )
})
