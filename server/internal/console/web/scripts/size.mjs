// Checks the compressed size of the files that the page loads before it shows documents, of those that it loads on
// demand, and the size of all embedded files.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../../dist/app/', import.meta.url)
const KB = 1000
// The console may add 3 MB to the program, of which the server's code is 0.2 MB.
const LIMITS = { first: 200 * KB, live: 150 * KB, editor: 140 * KB, embedded: 2000 * KB }

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))

/** The files of some modules: their static imports, and styles. */
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
const embedded = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((sum, entry) => sum + statSync(`${entry.parentPath}/${entry.name}`).size, 0)
const sizes = {
  first: bytes(first),
  live: bytes(later('src/api/live.ts')),
  editor: bytes(later('src/pages/data/json-editor.tsx')),
  embedded,
}
let failed = false
for (const [name, size] of Object.entries(sizes)) {
  console.log(`${name}: ${(size / KB).toFixed(1)} KB of ${LIMITS[name] / KB} KB`)
  if (size > LIMITS[name]) failed = true
}
if (failed || !manifest['index.html']) process.exit(1)
