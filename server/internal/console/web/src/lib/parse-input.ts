import type { Value, ValueType } from './value'
import { referenceOf } from './value-text'

const MAX_INT = 9223372036854775807n
const MIN_INT = -9223372036854775808n

/** Parses a 64-bit integer; null if invalid. */
function parseInteger(text: string): string | null {
  const trimmed = text.trim()
  if (!/^-?\d{1,19}$/.test(trimmed)) return null
  const n = BigInt(trimmed)
  return n > MAX_INT || n < MIN_INT ? null : String(n)
}

/** Parses a double, including NaN and Infinity; null if invalid. */
export function parseDouble(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === 'NaN') return Number.NaN
  const n = Number(trimmed)
  return trimmed === '' || Number.isNaN(n) ? null : n
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** Parses a value of a type from a line of text; null if invalid. */
export function parseInput(type: ValueType, text: string, root: string): Value | null {
  switch (type) {
    case 'null':
      return { type }
    case 'string':
      return { type, value: text }
    case 'boolean':
      return text === 'true' || text === 'false' ? { type, value: text === 'true' } : null
    case 'integer': {
      const value = parseInteger(text)
      return value === null ? null : { type, value }
    }
    case 'double': {
      const value = parseDouble(text)
      return value === null ? null : { type, value }
    }
    case 'timestamp':
      return ISO.test(text) && !Number.isNaN(Date.parse(text))
        ? { type, value: text.includes('T') && /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : new Date(text).toISOString() }
        : null
    case 'reference': {
      const value = referenceOf(text, root)
      return value === null ? null : { type, value }
    }
    case 'bytes':
      return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? { type, value: text } : null
    case 'geopoint': {
      const [latitude, longitude] = parseNumbers(text) ?? []
      if (latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null
      return { type, latitude, longitude }
    }
    case 'vector': {
      const value = parseNumbers(text)
      return value ? { type, value } : null
    }
    case 'array':
    case 'map':
      return null
  }
}

/** Parses numbers separated by commas or spaces. */
function parseNumbers(text: string): number[] | null {
  const parts = text
    .replaceAll(/[[\]]/g, '')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
  const numbers = parts.map(parseDouble)
  return numbers.every((n) => n !== null) ? numbers : null
}
