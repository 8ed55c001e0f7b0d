/**
 * Makes the two font files that every page loads: the characters of Spanish text of each family. A page with other characters also loads
 * the families' complete files (src/styles/fonts.css).
 *
 *   npm run fuentes   writes src/styles/fonts/, after an update of the families
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import subsetFont from 'subset-font'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'src/styles/fonts')

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i)).join('')
/** The characters of running text; the unicode-range in fonts.css is the same. */
export const CHARACTERS = `${ascii}\u00a0¡¿«»ÁÉÍÓÚÜÑáéíóúüñªº°·×©–—‘’“”•…€−`

/** The characters of titles: without those of code and addresses, which would be a seventh of the file. */
export const TITLE_CHARACTERS = CHARACTERS.replaceAll(/[<=>@[\\\]^_`{|}~©×−]/g, '')

/** The OpenType features that browsers apply to all text. Alternative shapes of letters and figures would be a fifth of the files. */
const FEATURES = ['calt', 'ccmp', 'clig', 'kern', 'liga', 'locl', 'mark', 'rlig']

/** The files by name: the source, the characters and the features of each, and the weights of a variable one. */
const FILES = {
  'bricolage-800.woff2': {
    from: '@fontsource/bricolage-grotesque/files/bricolage-grotesque-latin-800-normal.woff2',
    characters: TITLE_CHARACTERS,
    keepFeatures: FEATURES,
  },
  'figtree-400-700.woff2': {
    from: '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
    characters: CHARACTERS,
    // The panel's columns of numbers use figures of equal width.
    keepFeatures: [...FEATURES, 'tnum'],
    variationAxes: { wght: { min: 400, max: 700 } },
  },
}

/** The files with their content. */
export async function fonts() {
  const made = Object.entries(FILES).map(async ([name, { from, characters, ...options }]) => {
    const whole = await readFile(join(ROOT, 'node_modules', from))
    return { file: join(FOLDER, name), bytes: await subsetFont(whole, characters, { targetFormat: 'woff2', ...options }) }
  })
  return Promise.all(made)
}

if (import.meta.filename === process.argv[1]) {
  for (const { file, bytes } of await fonts()) {
    await writeFile(file, bytes)
    console.log(`${file}: ${bytes.length} bytes`)
  }
}
