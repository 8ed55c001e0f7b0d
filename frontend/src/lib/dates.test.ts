import { describe, expect, it } from 'vitest'
import { toLocal, shortDate, dateAndTime, today, momentOf } from './dates'

describe('dateAndTime', () => {
  it.each([
    ['2025-09-05T23:30:00Z', '05 SEP 2025 • 19:30'],
    ['2025-01-01T03:59:00Z', '31 DIC 2024 • 23:59'],
    ['2025-01-01T04:00:00Z', '01 ENE 2025 • 00:00'],
    ['no', '—'],
  ])('writes %s as %s', (iso, expected) => {
    expect(dateAndTime(new Date(iso))).toBe(expected)
  })
  it('writes a dash for nothing', () => {
    expect(dateAndTime(null)).toBe('—')
    expect(dateAndTime(undefined)).toBe('—')
    expect(shortDate('')).toBe('—')
  })
})

describe('momentOf', () => {
  it('joins date and time in the foundation’s zone', () => {
    expect(momentOf('2027-09-05', '19:30')?.toISOString()).toBe('2027-09-05T23:30:00.000Z')
  })
  it.each([
    ['2027-02-30', '10:00'],
    ['2027-02-29', '10:00'],
    ['2027-13-01', '10:00'],
    ['2027-1-1', '10:00'],
    ['2027-09-05', '25:00'],
    ['2027-09-05', '24:00'],
    ['2027-09-05', '10:60'],
    ['2027-09-05', '9:00'],
    ['', ''],
  ])('knows no %s %s', (date, time) => {
    expect(momentOf(date, time)).toBeNull()
  })
  it('comes back', () => {
    expect(toLocal(momentOf('2024-02-29', '23:59'))).toEqual({ date: '2024-02-29', time: '23:59' })
  })
})

describe('hoy', () => {
  it('is the foundation’s day, not the device’s', () => {
    expect(today(new Date('2027-02-01T02:00:00Z'))).toBe('2027-01-31')
  })
})
