import { expect, test } from 'vitest'
import { spokenDay, spokenTime } from './spoken'

const at = (time: string) => new Date(`2025-09-05T${time}:00-04:00`)

test('a time is spoken with twelve hours', () => {
  const spoken = (time: string) => spokenTime(at(time), time).replaceAll('\u00A0', ' ')
  expect(['00:05', '09:30', '12:00', '19:30'].map(spoken)).toEqual(['12:05 a. m.', '9:30 a. m.', '12:00 p. m.', '7:30 p. m.'])
})

test('a weekday is that of the foundation’s zone', () => {
  expect(spokenDay(at('23:30'), '05 SEP 2025')).toBe('viernes')
})

test('where a record’s own text is shown, nothing is added', () => {
  expect(spokenDay(at('19:30'), '06 SEP 2025')).toBe('')
  expect(spokenDay(at('19:30'), '—')).toBe('')
  expect(spokenTime(at('19:30'), 'por la noche')).toBe('')
  expect(spokenDay(null, '—') + spokenTime(null, '—')).toBe('')
})
