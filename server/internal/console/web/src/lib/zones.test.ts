import { describe, expect, it } from 'vitest'
import { parseInput } from './parse-input'
import { finerDigits, fromZone, toZone, withFiner } from './zones'

describe('times by the clock of a zone', () => {
  it.each(['America/Santo_Domingo', 'UTC', 'Asia/Kolkata', 'Europe/Madrid'])('are converted and back in %s', (zone) => {
    for (const iso of ['2030-01-31T23:30:00.250Z', '2030-07-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z'])
      expect(fromZone(toZone(iso, zone), zone)).toBe(iso)
  })

  it('keep digits finer than milliseconds', () => {
    expect(finerDigits('2030-01-31T12:00:00.123456Z')).toBe('456')
    expect(withFiner('2030-01-31T12:00:00.123Z', '456')).toBe('2030-01-31T12:00:00.123456Z')
  })
})

describe('values as people type them', () => {
  it.each([
    ['integer', '9223372036854775807', { type: 'integer', value: '9223372036854775807' }],
    ['integer', '9223372036854775808', null],
    ['integer', '1.5', null],
    ['double', 'NaN', { type: 'double', value: Number.NaN }],
    ['double', '', null],
    ['geopoint', '91, 0', null],
    ['geopoint', '18.5, -69.9', { type: 'geopoint', latitude: 18.5, longitude: -69.9 }],
    ['reference', 'users', null],
    ['reference', 'users/ann', { type: 'reference', value: 'R/users/ann' }],
    ['bytes', 'AA', null],
    ['vector', '1, 2', { type: 'vector', value: [1, 2] }],
    ['boolean', 'yes', null],
  ] as const)('%s %j', (type, text, want) => {
    expect(parseInput(type, text, 'R/')).toEqual(want)
  })
})
