import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteIndex } from './bytes'
import { claimsProblem } from './claims'
import { diffLines } from './diff'

describe('differences of texts', () => {
  it('transform one text into the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 8 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after)
        const of = (not: string) =>
          diff
            .filter((line) => line.kind !== not)
            .map((line) => line.text)
            .join('\n')
        expect(of('added')).toBe(before)
        expect(of('removed')).toBe(after)
      }),
    )
  })
})

describe('places by bytes', () => {
  it('are places of the text', () => {
    const at = byteIndex('aé\u{1f600}b')
    expect([0, 1, 3, 7, 8].map(at)).toEqual([0, 1, 2, 4, 5])
    expect(byteIndex('abc')(2)).toBe(2)
  })
})

describe('custom claims', () => {
  it.each([
    ['{"role":"admin"}', null],
    ['{', 'syntax'],
    ['[1]', 'shape'],
    ['{"sub":1}', 'reserved'],
    [JSON.stringify({ a: 'x'.repeat(1000) }), 'size'],
  ])('%j', (text, kind) => {
    expect(claimsProblem(text)?.kind ?? null).toBe(kind)
  })
})
