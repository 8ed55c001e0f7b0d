// Checks the scripts that each page loads before it is visible (checks.md §4): sizes with gzip, and that no Firebase module is among them.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { always as alwaysLoaded } from './always.mjs'

const DIST = resolve(import.meta.dirname, '..', process.env.SITE_DIST || 'dist')
const HOME_LIMIT = 100_000
const PAGE_LIMIT = 105_000
const PANEL_LIMIT = 70_000
const FONT_LIMIT = 65_000
const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8'))

/** A chunk and all its static imports, by their keys. */
function closure(keys, seen = new Set()) {
  for (const key of keys) {
    if (seen.has(key) || !manifest[key]) continue
    seen.add(key)
    closure(manifest[key].imports ?? [], seen)
  }
  return seen
}

/** Files that import each other. One of them would be empty when the other one runs. */
const circular = Object.keys(manifest).filter((key) => closure(manifest[key].imports ?? []).has(key))

const gzip = async (file) => gzipSync(await readFile(join(DIST, file)), { level: 9 }).length
const total = async (keys) => (await Promise.all([...keys].map((key) => gzip(manifest[key].file)))).reduce((a, b) => a + b, 0)

const always = alwaysLoaded(manifest)
const routes = Object.keys(manifest).filter((key) => key.startsWith('src/routes/'))
const problems = circular.map((key) => `${manifest[key].file} imports itself by way of another`)
const check = (name, size, limit) => {
  console.log(`${name.padEnd(44)} ${(size / 1000).toFixed(1).padStart(7)} KB  (${limit / 1000})`)
  if (size > limit) problems.push(`${name}: ${size} bytes, at most ${limit}`)
}

for (const route of routes) {
  const keys = closure([...always, route])
  const panel = /log-in|admin/.test(route)
  if (!panel) {
    check(route, await total(keys), route.endsWith('inicio.tsx') ? HOME_LIMIT : PAGE_LIMIT)
    // The chunks of the data contain the SDK. No public page may need them for its first paint.
    const sdk = [...keys].filter(
      (key) => /firebase|firestore/.test(key) || /(?:^|\/)(?:live|lite|auth|app)-[\w-]+\.js$/.test(manifest[key].file),
    )
    if (sdk.length > 0) problems.push(`${route} needs the SDK to be shown: ${sdk.join(', ')}`)
  } else if (route.endsWith('admin-view.tsx')) {
    const own = [...closure([route])].filter((key) => !closure(always).has(key) && !/firebase|auth|live|lite/.test(manifest[key].file))
    check(`${route} (sin el SDK)`, await total(own), PANEL_LIMIT)
  }
}
const fonts = [...(await readFile(join(DIST, 'index.html'), 'utf8')).matchAll(/href="\/(assets\/[^"]+\.woff2)"/g)].map(([, file]) => file)
check(
  `fuentes (${fonts.length})`,
  (await Promise.all(fonts.map((file) => readFile(join(DIST, file))))).reduce((sum, data) => sum + data.length, 0),
  FONT_LIMIT,
)
if (fonts.length !== 2) problems.push(`the two latin fonts must be preloaded, not ${fonts.length}`)

for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)
