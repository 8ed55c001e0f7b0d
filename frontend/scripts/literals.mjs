// Refuses literal text in JSX outside src/i18n and src/content (P-15): every word a visitor reads has one place.
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const SRC = join(import.meta.dirname, '../src')
const LETTERS = /\p{L}{2,}/u
/** Text between tags, and attributes that are read out. */
const PATTERNS = [/>([^<>{}=;()]*\p{L}{2,}[^<>{}=;()]*)<\//gu, /\b(?:aria-label|alt|title|placeholder)="([^"]*\p{L}{2,}[^"]*)"/gu]

const files = (await readdir(SRC, { recursive: true })).filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
const found = []
for (const file of files) {
  const text = (await readFile(join(SRC, file), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  for (const pattern of PATTERNS) {
    for (const [, literal] of text.matchAll(pattern)) {
      if (LETTERS.test(literal.trim())) found.push(`src/${relative(SRC, join(SRC, file))}: «${literal.trim()}»`)
    }
  }
}
for (const line of found) console.error(line)
if (found.length > 0) {
  console.error('literal text in JSX: put it in src/i18n or src/content')
  process.exit(1)
}
