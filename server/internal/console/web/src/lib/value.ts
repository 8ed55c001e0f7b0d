import * as v from 'valibot'

/** A value of a document's field. Integers are strings because they have 64 bits, and timestamps because they have nanoseconds. */
export type Value =
  | { type: 'null' }
  | { type: 'boolean'; value: boolean }
  | { type: 'integer'; value: string }
  | { type: 'double'; value: number }
  | { type: 'timestamp'; value: string }
  | { type: 'string'; value: string }
  | { type: 'bytes'; value: string }
  | { type: 'reference'; value: string }
  | { type: 'geopoint'; latitude: number; longitude: number }
  | { type: 'vector'; value: number[] }
  | { type: 'array'; value: Value[] }
  | { type: 'map'; value: Fields }

export type Fields = { [name: string]: Value }
export type ValueType = Value['type']

export const VALUE_TYPES: readonly ValueType[] = [
  'string',
  'integer',
  'double',
  'boolean',
  'timestamp',
  'null',
  'map',
  'array',
  'reference',
  'geopoint',
  'bytes',
  'vector',
]

/** A value in the JSON of Firestore's REST API. */
export type WireValue = {
  nullValue?: null
  booleanValue?: boolean
  integerValue?: string | number
  doubleValue?: number | string
  timestampValue?: string
  stringValue?: string
  bytesValue?: string
  referenceValue?: string
  geoPointValue?: { latitude?: number; longitude?: number }
  arrayValue?: { values?: WireValue[] }
  mapValue?: { fields?: { [name: string]: WireValue } }
}

/** The value of a field, or undefined. Names of inherited properties, such as constructor, are valid fields. */
export const fieldOf = <T>(fields: { [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

/** Fields as the server sends them. v.record would omit names such as constructor. */
export const WireFields = v.custom<{ [name: string]: WireValue }>(
  (input) => typeof input === 'object' && input !== null && Object.values(input).every((of) => typeof of === 'object' && of !== null),
)

const WIRE_NUMBERS: Record<string, number> = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, '-Infinity': Number.NEGATIVE_INFINITY }

const fromNumber = (n: number | string): number => (typeof n === 'number' ? n : (WIRE_NUMBERS[n] ?? Number(n)))
/** JSON.stringify writes neither numbers that are not finite nor the sign of zero. */
const toNumber = (n: number): number | string => (Object.is(n, -0) ? '-0.0' : Number.isFinite(n) ? n : String(n))

/** The numbers of a vector, which is sent as a map with a marker; null for other maps. */
function vectorOf(fields: { [name: string]: WireValue }): number[] | null {
  const mark = fields['__type__']
  const numbers = fields['value']?.arrayValue?.values
  if (mark?.stringValue !== '__vector__' || !numbers) return null
  return numbers.map((n) => fromNumber(n.doubleValue ?? n.integerValue ?? 0))
}

export function fromWire(wire: WireValue): Value {
  if (wire.booleanValue !== undefined) return { type: 'boolean', value: wire.booleanValue }
  if (wire.integerValue !== undefined) return { type: 'integer', value: String(wire.integerValue) }
  if (wire.doubleValue !== undefined) return { type: 'double', value: fromNumber(wire.doubleValue) }
  if (wire.timestampValue !== undefined) return { type: 'timestamp', value: wire.timestampValue }
  if (wire.stringValue !== undefined) return { type: 'string', value: wire.stringValue }
  if (wire.bytesValue !== undefined) return { type: 'bytes', value: wire.bytesValue }
  if (wire.referenceValue !== undefined) return { type: 'reference', value: wire.referenceValue }
  if (wire.geoPointValue !== undefined) {
    return { type: 'geopoint', latitude: wire.geoPointValue.latitude ?? 0, longitude: wire.geoPointValue.longitude ?? 0 }
  }
  if (wire.arrayValue !== undefined) return { type: 'array', value: (wire.arrayValue.values ?? []).map(fromWire) }
  if (wire.mapValue !== undefined) {
    const fields = wire.mapValue.fields ?? {}
    const vector = vectorOf(fields)
    return vector ? { type: 'vector', value: vector } : { type: 'map', value: fieldsFromWire(fields) }
  }
  return { type: 'null' }
}

/** The fields of the map that the server stores for a vector. */
export const vectorFields = (numbers: number[]): Fields => ({
  __type__: { type: 'string', value: '__vector__' },
  value: { type: 'array', value: numbers.map((value) => ({ type: 'double', value })) },
})

export function toWire(value: Value): WireValue {
  switch (value.type) {
    case 'null':
      return { nullValue: null }
    case 'boolean':
      return { booleanValue: value.value }
    case 'integer':
      return { integerValue: value.value }
    case 'double':
      return { doubleValue: toNumber(value.value) }
    case 'timestamp':
      return { timestampValue: value.value }
    case 'string':
      return { stringValue: value.value }
    case 'bytes':
      return { bytesValue: value.value }
    case 'reference':
      return { referenceValue: value.value }
    case 'geopoint':
      return { geoPointValue: { latitude: value.latitude, longitude: value.longitude } }
    case 'array':
      return { arrayValue: { values: value.value.map(toWire) } }
    case 'map':
      return { mapValue: { fields: fieldsToWire(value.value) } }
    case 'vector':
      return { mapValue: { fields: fieldsToWire(vectorFields(value.value)) } }
  }
}

export function fieldsFromWire(fields: { [name: string]: WireValue }): Fields {
  const names = Object.keys(fields).toSorted()
  return Object.fromEntries(names.map((name) => [name, fromWire(fields[name] ?? {})]))
}

export function fieldsToWire(fields: Fields): { [name: string]: WireValue } {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toWire(value)]))
}

/** A text as an integer of 64 bits, without the fraction of a number; 0 if it is not a number. */
function integerOf(text: string): string {
  const n = /^-?\d+$/.test(text) ? BigInt(text) : BigInt(Math.trunc(Number.isFinite(Number(text)) ? Number(text) : 0))
  return String(BigInt.asIntN(64, n) === n ? n : 0n)
}

/** The initial value of a new field, or of a field whose type changes: the old value's text if it is valid. */
export function emptyOf(type: ValueType, text = ''): Value {
  switch (type) {
    case 'null':
      return { type }
    case 'boolean':
      return { type, value: text === 'true' }
    case 'integer':
      return { type, value: integerOf(text) }
    case 'double':
      return { type, value: Number(text) || 0 }
    case 'timestamp':
      return { type, value: Number.isNaN(Date.parse(text)) ? new Date().toISOString() : new Date(text).toISOString() }
    case 'geopoint':
      return { type, latitude: 0, longitude: 0 }
    case 'array':
    case 'vector':
      return { type, value: [] }
    case 'map':
      return { type, value: {} }
    case 'string':
      return { type, value: text }
    case 'bytes':
    case 'reference':
      return { type, value: '' }
  }
}
