import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CHARACTERS, fonts, TITLE_CHARACTERS } from './fonts.mjs'

const SOURCE = join(import.meta.dirname, '../src')

it('the committed fonts are those that the script makes', async () => {
  for (const { file, bytes } of await fonts()) expect(Buffer.compare(await readFile(file), bytes), file).toBe(0)
})

it('fonts.css gives the files the characters that they hold', async () => {
  const css = await readFile(join(SOURCE, 'styles/fonts.css'), 'utf8')
  const ranges = [...css.matchAll(/fonts\/[^;]*;\s*unicode-range:([^;]*);/g)].map(([, range]) => charactersOf(range))
  expect(ranges).toEqual([TITLE_CHARACTERS, CHARACTERS].map((characters) => characters.split('').toSorted()))
})

it('the fonts hold every letter of the site’s texts', async () => {
  const files = ['content', 'i18n'].flatMap((folder) => readdirSync(join(SOURCE, folder)).map((name) => join(folder, name)))
  expect(files.length).toBeGreaterThan(20)
  for (const name of files) {
    const letters = (await readFile(join(SOURCE, name), 'utf8')).match(/\p{L}/gu) ?? []
    expect(
      [...new Set(letters)].filter((letter) => !CHARACTERS.includes(letter)),
      name,
    ).toEqual([])
  }
})

/** The characters of a unicode-range, in order. */
function charactersOf(range) {
  const parts = [...range.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)]
  return parts
    .flatMap(([, from, until = from]) => {
      const first = Number.parseInt(from, 16)
      return Array.from({ length: Number.parseInt(until, 16) - first + 1 }, (_, i) => String.fromCharCode(first + i))
    })
    .toSorted()
}
