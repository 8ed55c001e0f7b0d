import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCsv, readCsv, writeCsv } from './csv'
import { readJson, writeJson } from './json-file'
import type { Fields } from './value'

const ROOT = 'projects/p/databases/(default)/documents/'

const DOCS: { id: string; fields: Fields }[] = [
  { id: 'a', fields: { name: { type: 'string', value: 'He said "hi", twice\n' }, n: { type: 'integer', value: '9007199254740993' } } },
  {
    id: 'b',
    fields: { n: { type: 'double', value: 1 }, tags: { type: 'array', value: [{ type: 'string', value: 'x,y' }, { type: 'null' }] } },
  },
  {
    id: 'c',
    fields: {
      when: { type: 'timestamp', value: '2030-01-01T00:00:00Z' },
      name: { type: 'string', value: '42' },
      there: { type: 'reference', value: 'projects/q/databases/d/documents/a/b' },
      no: { type: 'double', value: Number.NaN },
    },
  },
]

describe('files of documents', () => {
  it('writes CSV that reads back with the same types', () => {
    expect(readCsv(writeCsv(DOCS, ROOT).join(''), ROOT)).toEqual(
      DOCS.map((doc) => ({ ...doc, fields: expect.objectContaining(doc.fields) })),
    )
  })

  it('writes JSON that reads back with the same types', () => {
    expect(readJson(writeJson(DOCS, ROOT).join(''), ROOT)).toEqual(DOCS)
  })

  it('reads strings of any letters back from CSV', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (value) => {
        const [doc] = readCsv(writeCsv([{ id: 'a', fields: { value: { type: 'string', value } } }], ROOT).join(''), ROOT)
        expect(doc?.fields['value']).toEqual({ type: 'string', value })
      }),
    )
  })

  it('writes nothing to CSV that a spreadsheet program would calculate', () => {
    const texts = ['=HYPERLINK("http://x")', '+1', '-1+2', '@SUM(A1)', '\t=1', '\r=1', '＝1', '"=1', '"', '-5']
    const docs = texts.map((value) => ({ id: value, fields: { [value]: { type: 'string' as const, value } } }))
    const text = writeCsv(docs, ROOT).join('')
    for (const cell of parseCsv(text).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r＝]/)
    expect(readCsv(text, ROOT)).toEqual(docs)
  })

  it('reads CSV with a byte order mark, line feeds only, and line breaks in cells', () => {
    expect(parseCsv('\ufeffa,b\n"1\n2",\n')).toEqual([
      ['a', 'b'],
      ['1\n2', ''],
    ])
  })

  it('reads an array of documents with ids', () => {
    expect(readJson('[{"__id__": "x", "n": 1}, {"n": 2}]', ROOT).map((doc) => doc.id)).toEqual(['x', ''])
  })
})
