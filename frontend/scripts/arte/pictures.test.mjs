import { describe, expect, test } from 'vitest'
import catalogue from '../../src/content/imagenes.json' with { type: 'json' }
import { staff } from './lib/music.mjs'
import { P, TINTS } from './lib/palette.mjs'
import { pictures } from './pictures.mjs'

const inks = new Set([...Object.values(P), ...Object.values(TINTS)])
const all = pictures().map(([name, draw]) => ({ name, svg: draw() }))

test('every drawn slot of the catalogue has its picture, of the size the page reserves', () => {
  for (const { slot, src, width, height } of catalogue) {
    if (!src.endsWith('.svg')) continue
    const found = all.find(({ name }) => name === slot)
    expect(found?.svg, slot).toContain(`width="${width}" height="${height}"`)
  }
})

describe.each(all)('$name', ({ svg }) => {
  test('uses only the inks of the palette', () => {
    const strange = (svg.match(/#[0-9A-Fa-f]{6}\b/g) ?? []).filter((colour) => !inks.has(colour))
    expect(strange).toEqual([])
  })
  test('has no broken number', () => {
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
  })
})

test('stems are upright and a beam joins the outer notes', () => {
  const flat = staff(
    () => 100,
    () => 20,
  )
  const svg = flat.beamed([
    [0, 2],
    [50, 0],
    [100, -2],
  ])
  const stems = [...svg.matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)"/g)].map(([, x, from, to]) => ({ x: +x, from: +from, to: +to }))
  expect(stems.map(({ x }) => x)).toEqual([12, 62, 112])
  expect(stems[1].to).toBeCloseTo((stems[0].to + stems[2].to) / 2, 0)
  for (const { from, to } of stems) expect(to).toBeLessThan(from)
})

test('a note on the middle line sits on it, and each step is half a gap', () => {
  const score = staff(
    (x) => 50 + x,
    () => 12,
  )
  expect(score.at(10, 0)).toBe(60)
  expect(score.at(10, -1)).toBe(54)
})
