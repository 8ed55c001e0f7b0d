import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weekday, longDay, visibleDays, isDay, longMonth, move, weeks, addDays, addMonths, rangeOf, afterKey } from './grid'

const days = fc.integer({ min: 0, max: 60_000 }).map((n) => addDays('1970-01-01', n))

describe('visibleDays', () => {
  it('shows whole weeks around September 2027', () => {
    const visibleOnes = visibleDays('mes', '2027-09-15')
    expect([visibleOnes.at(0), visibleOnes.at(-1), visibleOnes.length]).toEqual(['2027-08-30', '2027-10-03', 35])
  })
  it('shows four weeks of a February that begins on a Monday', () => {
    expect(visibleDays('mes', '2027-02-10')).toHaveLength(28)
  })
  it('always begins on Monday, ends on Sunday and holds the day', () => {
    fc.assert(
      fc.property(days, fc.constantFrom('mes' as const, 'semana' as const), (date, view) => {
        const visibleOnes = visibleDays(view, date)
        expect(visibleOnes).toContain(date)
        expect(visibleOnes.length % 7).toBe(0)
        expect(weeks(visibleOnes).every((week) => week.length === 7 && weekday(week[0] ?? '') === 0)).toBe(true)
      }),
    )
  })
})

it.each([
  ['2027-01-31', 1, '2027-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2027-03-31', -1, '2027-02-28'],
  ['2027-12-15', 1, '2028-01-15'],
  ['2027-01-15', -1, '2026-12-15'],
])('%s and %i months is %s', (date, months, expected) => {
  expect(addMonths(date, months)).toBe(expected)
})

it('names days and months', () => {
  expect(longDay('2025-09-05')).toBe('viernes 5 de septiembre de 2025')
  expect(longMonth('2027-09-15')).toBe('septiembre de 2027')
})

it('bounds the visible days by midnights of Santo Domingo', () => {
  const { from, until } = rangeOf(visibleDays('mes', '2027-09-15'))
  expect([from.toISOString(), until.toISOString()]).toEqual(['2027-08-30T04:00:00.000Z', '2027-10-04T04:00:00.000Z'])
})

it.each([
  ['ArrowLeft', '2027-08-31'],
  ['ArrowRight', '2027-09-02'],
  ['ArrowUp', '2027-08-25'],
  ['ArrowDown', '2027-09-08'],
  ['Home', '2027-08-30'],
  ['End', '2027-09-05'],
  ['PageUp', '2027-08-01'],
  ['PageDown', '2027-10-01'],
  ['a', null],
])('%s goes from Wednesday 1 September 2027 to %s', (key, expected) => {
  expect(afterKey(key, '2027-09-01', 'mes')).toBe(expected)
})

it('moves by weeks in the week view, and by lines of one day with the arrows', () => {
  expect(afterKey('ArrowDown', '2027-09-01', 'semana')).toBe('2027-09-02')
  expect(afterKey('ArrowUp', '2027-09-01', 'semana')).toBe('2027-08-31')
  expect(move('2027-09-01', 'semana', 1)).toBe('2027-09-08')
})

it.each([
  ['2027-02-29', false],
  ['2028-02-29', true],
  ['hoy', false],
  ['2001-01-01', true],
  ['2000-12-31', false],
  ['2999-12-31', true],
  ['3000-01-01', false],
])('%s is a day: %s', (text, es) => {
  expect(isDay(text)).toBe(es)
})
