import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publishPhoto } from './photo.mjs'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fotos-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A coral photo of the given size, with a location and a camera in its metadata. */
async function photo(width, height, orientation = 1) {
  const file = join(folder, 'original.jpg')
  await sharp({ create: { width, height, channels: 3, background: '#E4572E' } })
    .withExif({ IFD0: { Make: 'Cámara' }, IFD3: { GPSLatitude: '18/1 28/1 0/1' } })
    .withMetadata({ orientation })
    .jpeg()
    .toFile(file)
  return file
}
const published = async () => (await readdir(folder)).filter((name) => name !== 'original.jpg')

test('a photo is published in three formats and its widths, without hidden data', async () => {
  const item = { slot: 'tira-3', width: 640, height: 480, focal: [0.5, 0.5] }
  const result = await publishPhoto(item, await photo(1000, 1000), folder)
  expect(result).toMatchObject({ background: 'coral', widths: [480, 768] })
  expect((await published()).toSorted()).toEqual(
    [480, 768].flatMap((w) => ['avif', 'jpg', 'webp'].map((x) => `${result.base}-${w}.${x}`)),
  )
  for (const name of await published()) {
    const { exif, width, height } = await sharp(join(folder, name)).metadata()
    expect(exif, name).toBeUndefined()
    expect(width / height, name).toBeCloseTo(4 / 3, 1)
  }
})

test('a sideways photo is turned upright before it is cut', async () => {
  const item = { slot: 'historia-1', width: 600, height: 600, focal: [0.5, 0.5] }
  const { base } = await publishPhoto(item, await photo(900, 500, 6), folder)
  expect(await sharp(join(folder, `${base}-480.jpg`)).metadata()).toMatchObject({ width: 480, height: 480 })
})

test('a hero also has its upright cut', async () => {
  const item = { slot: 'hero-4', width: 1600, height: 900, focal: [0.6, 0.5] }
  const { base, phoneWidths } = await publishPhoto(item, await photo(1700, 1000), folder)
  expect(phoneWidths).toEqual([480])
  expect(await sharp(join(folder, `${base}-movil-480.webp`)).metadata()).toMatchObject({ width: 480, height: 640 })
})

test('another focal point gives another name, so that no cache shows the old cut', async () => {
  const file = await photo(800, 800)
  const item = { slot: 'tira-1', width: 640, height: 480 }
  const one = await publishPhoto({ ...item, focal: [0.5, 0.5] }, file, folder)
  const two = await publishPhoto({ ...item, focal: [0.5, 0.2] }, file, folder)
  expect(one.base).not.toBe(two.base)
})
