import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDocument, JsonProblem, parseDocument, placeOf } from './json-document'
import { type Fields, fieldsFromWire, fieldsToWire, type Value } from './value'

const ROOT = 'projects/p/databases/(default)/documents/'

const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/^__.*__$/s.test(text))
const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>({ type: 'null' }),
  fc.boolean().map((value): Value => ({ type: 'boolean', value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n): Value => ({ type: 'integer', value: String(n) })),
  fc.double().map((value): Value => ({ type: 'double', value })),
  fc.string().map((value): Value => ({ type: 'string', value })),
  fc.constant<Value>({ type: 'timestamp', value: '2030-01-31T12:00:00.123456789Z' }),
  fc.constant<Value>({ type: 'bytes', value: 'AAE=' }),
  fc
    .constantFrom(`${ROOT}users/ann`, `${ROOT}projects/p/databases/d/documents/x`, 'projects/q/databases/d/documents/users/ann')
    .map((value): Value => ({ type: 'reference', value })),
  fc.constant<Value>({ type: 'geopoint', latitude: -12.5, longitude: 170 }),
  fc.array(fc.oneof(fc.integer(), fc.double()), { minLength: 1, maxLength: 4 }).map((value): Value => ({ type: 'vector', value })),
)
const fields: fc.Arbitrary<Fields> = fc.letrec<{ value: Value; fields: Fields }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('fields').map((value): Value => ({ type: 'map', value })),
    fc
      .array(
        fc.oneof(
          leaf,
          tie('fields').map((value): Value => ({ type: 'map', value })),
        ),
        { maxLength: 3 },
      )
      .map((value): Value => ({ type: 'array', value })),
  ),
  fields: fc.dictionary(fc.oneof(name, fc.constant('$bytes')), tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).fields

const byName = (of: Fields) => fieldsFromWire(fieldsToWire(of))

describe('documents as JSON', () => {
  it('parses what it formatted, for any document', () => {
    fc.assert(
      fc.property(fields, (document) => {
        expect(byName(parseDocument(formatDocument(document, ROOT), ROOT))).toEqual(byName(document))
      }),
    )
  })

  it('throws only a JsonProblem with a position inside the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseDocument(text, ROOT)
        } catch (error) {
          expect(error).toBeInstanceOf(JsonProblem)
          if (error instanceof JsonProblem) expect(error.at).toBeLessThanOrEqual(text.length)
        }
      }),
    )
  })

  it.each([
    ['{\n  "a": 1,\n  "b": tru\n}', 3, 8, 'expected a value'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'expected }'],
    ['{ "a": 1, "a": 2 }', 1, 11, 'a is there twice'],
    ['{ "a": 9223372036854775808 }', 1, 8, 'an integer has 64 bits; write a double with a point'],
    ['{ "a": [[1]] }', 1, 9, 'an array holds no arrays'],
    ['{ "when": { "$timestamp": "soon" } }', 1, 27, 'expected a time such as 2030-01-31T12:00:00Z'],
    ['{ "to": { "$reference": "users" } }', 1, 25, 'expected the path of a document'],
    ['[1]', 1, 1, 'a document is an object'],
  ])('reports the position of the error in %j', (text, line, column, message) => {
    let problem: unknown
    try {
      parseDocument(text, ROOT)
    } catch (error) {
      problem = error
    }
    expect(problem).toMatchObject({ message })
    expect(problem instanceof JsonProblem && placeOf(text, problem.at)).toEqual({ line, column })
  })

  it('distinguishes an integer from a double', () => {
    expect(parseDocument('{"i": 1, "d": 1.0, "e": 1e3}', ROOT)).toEqual({
      i: { type: 'integer', value: '1' },
      d: { type: 'double', value: 1 },
      e: { type: 'double', value: 1000 },
    })
  })
})
