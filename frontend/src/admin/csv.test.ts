import { array, assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { toCsv } from './csv'

it('begins with a byte order mark and quotes every cell', () => {
  expect(toCsv(['Nombre', 'Mensaje'], [['Ana', 'uno; "dos", tres\nfin']])).toBe(
    '\uFEFF"Nombre","Mensaje"\r\n"Ana","uno; ""dos"", tres\nfin"\r\n',
  )
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1'])('makes text of the formula %j', (formula) => {
  expect(toCsv([], [[formula]])).toContain(`"'${formula}"`)
})

it('loses nothing and lets no cell begin a formula', () => {
  assert(
    property(array(string(), { minLength: 1 }), (row) => {
      const line = toCsv(['x'], [row]).slice('\uFEFF"x"\r\n'.length, -2)
      const cells = [...line.matchAll(/"((?:[^"]|"")*)"/g)].map((m) => (m[1] ?? '').replaceAll('""', '"'))
      expect(cells.map((c, i) => (c === row[i] ? c : c.slice(1)))).toEqual(row)
      expect(cells.every((c) => !/^\s*[=+\-@]/.test(c))).toBe(true)
    }),
  )
})
