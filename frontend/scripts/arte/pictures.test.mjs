import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import catalogue from '../../src/content/imagenes.json' with { type: 'json' }
import { staff } from './lib/music.mjs'
import { NIGHT, P, TINTS } from './lib/palette.mjs'
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

/** A picture with the colours of the dark theme. */
const byNight = (svg) => Object.entries(NIGHT).reduce((drawn, [day, night]) => drawn.replaceAll(`"${day}"`, `"${night}"`), svg)

/** How much lighter or darker than the ground a part of a picture must be to be seen, of 255. */
const VISIBLE = 40

test.each(all.filter(({ name }) => /^(?:vacio|tira)-/.test(name)))('$name shows its drawing also by night', async ({ svg }) => {
  const { data, info } = await sharp(Buffer.from(byNight(svg)))
    .resize({ width: 200 })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  // The ground is what the four corners have in common.
  const corners = [0, info.width - 1, (info.height - 1) * info.width, info.height * info.width - 1].map((i) => data[i * info.channels])
  const ground = corners.toSorted((a, b) => a - b)[1]
  const seen = Array.from({ length: info.width * info.height }, (_, i) => data[i * info.channels]).filter((tone) => tone - ground > VISIBLE)
  expect(seen.length / (info.width * info.height)).toBeGreaterThan(0.03)
})

/** Parts of drawings that are in front of the ground, and their areas in pixels. */
const IN_FRONT = [
  { slot: 'evento-7', part: 'the neck of the violin', area: { left: 85, top: 36, width: 70, height: 100 } },
  { slot: 'evento-8', part: 'the handles of the maracas', area: { left: 455, top: 320, width: 80, height: 40 } },
  { slot: 'evento-9', part: 'the valves of the trumpet', area: { left: 140, top: 220, width: 150, height: 70 } },
  { slot: 'ensamble-1', part: 'the neck of the viola', area: { left: 350, top: 30, width: 60, height: 130 } },
  { slot: 'programa-2', part: 'the neck of the cello', area: { left: 500, top: 20, width: 60, height: 160 } },
  { slot: 'concierto-1', part: 'the post of the stand', area: { left: 300, top: 300, width: 40, height: 100 } },
  { slot: 'historia-5', part: 'the key', area: { left: 250, top: 60, width: 170, height: 480 } },
  { slot: 'acerca-1', part: 'the notes beside the road', area: { left: 120, top: 60, width: 60, height: 120 } },
]

test.each(IN_FRONT)('$slot shows $part also by night', async ({ slot, area }) => {
  const { svg } = all.find(({ name }) => name === slot) ?? { svg: '' }
  const { data, info } = await sharp(Buffer.from(byNight(svg)))
    .extract(area)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const light = Array.from({ length: info.width * info.height }, (_, i) => data[i * info.channels]).filter((tone) => tone > 200)
  expect(light.length / (info.width * info.height)).toBeGreaterThan(0.03)
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
