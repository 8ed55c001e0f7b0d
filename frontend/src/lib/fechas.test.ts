import { describe, expect, it } from 'vitest'
import { enLocal, fechaCorta, fechaYHora, hoy, momentoDe } from './fechas'

describe('fechaYHora', () => {
  it.each([
    ['2025-09-05T23:30:00Z', '05 SEP 2025 • 19:30'],
    ['2025-01-01T03:59:00Z', '31 DIC 2024 • 23:59'],
    ['2025-01-01T04:00:00Z', '01 ENE 2025 • 00:00'],
    ['no', '—'],
  ])('writes %s as %s', (iso, esperado) => {
    expect(fechaYHora(new Date(iso))).toBe(esperado)
  })
  it('writes a dash for nothing', () => {
    expect(fechaYHora(null)).toBe('—')
    expect(fechaYHora(undefined)).toBe('—')
    expect(fechaCorta('')).toBe('—')
  })
})

describe('momentoDe', () => {
  it('joins date and time in the foundation’s zone', () => {
    expect(momentoDe('2027-09-05', '19:30')?.toISOString()).toBe('2027-09-05T23:30:00.000Z')
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
  ])('knows no %s %s', (fecha, hora) => {
    expect(momentoDe(fecha, hora)).toBeNull()
  })
  it('comes back', () => {
    expect(enLocal(momentoDe('2024-02-29', '23:59'))).toEqual({ fecha: '2024-02-29', hora: '23:59' })
  })
})

describe('hoy', () => {
  it('is the foundation’s day, not the device’s', () => {
    expect(hoy(new Date('2027-02-01T02:00:00Z'))).toBe('2027-01-31')
  })
})
