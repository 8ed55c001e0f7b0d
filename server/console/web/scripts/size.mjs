// Checks how much the page loads before documents are seen, and what it loads when needed, compressed as the server sends it.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../../dist/app/', import.meta.url)
const KB = 1000
const LIMITS = { first: 200 * KB, live: 150 * KB, editor: 140 * KB }

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))

/** The files that come with some modules: what they import at once, and styles. */
function filesOf(names, seen = new Set()) {
  for (const name of names) {
    const chunk = manifest[name]
    if (!chunk || seen.has(chunk.file)) continue
    seen.add(chunk.file)
    for (const css of chunk.css ?? []) seen.add(css)
    filesOf(chunk.imports ?? [], seen)
  }
  return seen
}

const bytes = (files) => [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length, 0)

const first = filesOf(['index.html', 'src/pages/data/data-page.tsx'])
const later = (name) => new Set([...filesOf([name])].filter((file) => !first.has(file)))
const sizes = { first: bytes(first), live: bytes(later('src/api/live.ts')), editor: bytes(later('src/pages/data/json-editor.tsx')) }
let failed = false
for (const [name, size] of Object.entries(sizes)) {
  console.log(`${name}: ${(size / KB).toFixed(1)} KB of ${LIMITS[name] / KB} KB`)
  if (size > LIMITS[name]) failed = true
}
if (failed || !manifest['index.html']) process.exit(1)
