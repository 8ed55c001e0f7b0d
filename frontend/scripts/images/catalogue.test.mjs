import { describe, expect, test } from 'vitest'
import { crop, entry, heavy, nearestGround, problems, provisional, widthsFor } from './catalogue.mjs'

const good = { slot: 'tira-1', alt: 'Un metrónomo en marcha', width: 640, height: 480, focal: [0.5, 0.5], credit: 'Ana' }

describe('crop', () => {
  test.each([
    ['a wide photo for a square, centred', { width: 2000, height: 1000 }, { width: 1, height: 1 }, [0.5, 0.5], { left: 500, top: 0, width: 1000, height: 1000 }],
    ['a focal point at the border stays inside', { width: 2000, height: 1000 }, { width: 1, height: 1 }, [1, 0], { left: 1000, top: 0, width: 1000, height: 1000 }],
    ['a tall photo for 4:3', { width: 900, height: 1600 }, { width: 4, height: 3 }, [0.5, 0.25], { left: 0, top: 63, width: 900, height: 675 }],
    ['the same shape is not cut', { width: 800, height: 600 }, { width: 640, height: 480 }, [0.1, 0.9], { left: 0, top: 0, width: 800, height: 600 }],
  ])('%s', (_, photo, shape, focal, want) => {
    expect(crop(photo, shape, focal)).toEqual(want)
  })
})

test('widths never enlarge a photo, and there is always one', () => {
  expect(widthsFor(2000)).toEqual([480, 768, 1080, 1600])
  expect(widthsFor(1080)).toEqual([480, 768, 1080])
  expect(widthsFor(300)).toEqual([300])
})

test('a photo waits on the ground nearest to its main colour', () => {
  expect(nearestGround([250, 240, 220])).toBe('crema')
  expect(nearestGround([5, 50, 60])).toBe('tinta')
  expect(nearestGround([220, 90, 50])).toBe('coral')
})

describe('problems', () => {
  test('a complete entry has none', () => {
    expect(problems([good])).toEqual([])
    expect(problems([{ ...good, alt: '', decorativa: true }])).toEqual([])
  })
  test.each([
    ['no alternative text', { alt: '' }, 'falta el texto alternativo'],
    ['text on a decorative picture', { decorativa: true }, 'lleva alt vacío'],
    ['text too long', { alt: 'a'.repeat(161) }, 'pasa de 160'],
    ['no size', { width: 0 }, 'width y height'],
    ['focal outside', { focal: [0.5, 1.2] }, 'focal'],
    ['no credit', { credit: '' }, 'crédito'],
    ['a bad name', { slot: 'Tira 1' }, 'minúsculas'],
  ])('%s', (_, change, want) => {
    const found = problems([{ ...good, ...change }])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(want)
  })
  test('a repeated slot', () => {
    expect(problems([good, good])).toEqual(['tira-1: está repetido'])
  })
})

test('only files above the limit are heavy', () => {
  expect(heavy({ 'a.avif': 256_000, 'b.jpg': 256_001 })).toEqual(['b.jpg: 251 KB pasa de 250 KB'])
})

test('provisional slots are those without a photo', () => {
  const catalogue = [{ slot: 'a', provisional: true }, { slot: 'b', provisional: true }, { slot: 'c' }]
  expect(provisional(catalogue, (slot) => slot === 'b')).toEqual(['a'])
})

test('the manifest holds only what a page needs', () => {
  expect(entry(good)).toEqual({ alt: good.alt, width: 640, height: 480 })
  expect(entry({ ...good, slot: 'hero-2' })).toMatchObject({ phone: true })
  expect(entry(good, { base: 'tira-1-x' })).toMatchObject({ photo: { base: 'tira-1-x' } })
})
