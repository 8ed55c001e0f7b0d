// Builds the site into dist/, or into the folder SITE_DIST: the client, every public page and the sign-in as HTML, the app shell, 404.html,
// the sitemap and robots.txt.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import { always } from './always.mjs'

const ROOT = join(import.meta.dirname, '..')
const DIST = resolve(ROOT, process.env.SITE_DIST || 'dist')
// Each process has its own folder, so that builds can run concurrently. It is inside the project so that packages are found.
const DIST_SSR = join(ROOT, 'dist-ssr', String(process.pid))

/** The minimum size of files that Clave compresses (server/internal/transport/hosting). */
const LEAST_COMPRESSED = 512

await build({ root: ROOT, logLevel: 'warn', build: { outDir: DIST, emptyOutDir: true } })
await build({
  root: ROOT,
  logLevel: 'warn',
  build: {
    ssr: 'src/entry-server.tsx',
    outDir: DIST_SSR,
    manifest: false,
    copyPublicDir: false,
    // The pages load the metadata later; the prerendering needs them at once.
    rolldownOptions: { checks: { ineffectiveDynamicImport: false } },
  },
})

const { prerender, pages, address, noScript, META, offlinePage, unsubscribePage, eventTemplate } = await import(
  pathToFileURL(join(DIST_SSR, 'entry-server.js')).href
)
const url = (process.env.VITE_SITIO_URL || address).replace(/\/$/, '')
// Its name contains a hash of its content. It can be cached without expiry and is not requested again before each first paint.
const START_SCRIPT = '/start.js'
const startScript = await readFile(join(DIST, START_SCRIPT))
const fixedStartScript = `/assets/start-${createHash('sha256').update(startScript).digest('hex').slice(0, 8)}.js`
await rename(join(DIST, START_SCRIPT), join(DIST, fixedStartScript))
const template = (await readFile(join(DIST, 'index.html'), 'utf8')).replace(START_SCRIPT, fixedStartScript)
const [script] = /<script type="module"[^>]*><\/script>/.exec(template) ?? []
const [styles] = /<link rel="stylesheet"[^>]*>/.exec(template) ?? []
if (!template.includes(fixedStartScript) || !script || !styles || template.includes('modulepreload')) {
  throw new Error('index.html must have one script, its start and one sheet of styles')
}
const manifest = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8'))

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** The two fonts that every page needs for its first paint: the characters of Spanish text. */
const fonts = Object.values(manifest)
  .flatMap((chunk) => [chunk.file, ...(chunk.assets ?? [])])
  .filter((file, i, all) => /(?:bricolage-800|figtree-400-700)-.*\.woff2$/.test(file) && all.indexOf(file) === i)

/** The files that the entry imports for the site and for a page, which are loaded in parallel with it, and their styles. */
function filesFor(source) {
  const chunks = new Set()
  const styles = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk || chunks.has(chunk.file) || chunk.isEntry) return
    chunks.add(chunk.file)
    for (const file of chunk.css ?? []) styles.add(file)
    for (const next of chunk.imports ?? []) visit(next)
  }
  for (const key of [...always(manifest), source]) visit(key)
  return { chunks: [...chunks], styles: [...styles] }
}

/** The chunks of a public page, which has no styles of its own. */
function chunksOf(source) {
  const { chunks, styles } = filesFor(source)
  if (styles.length > 0) throw new Error(`${source} brings its own styles, a second request: import them in src/styles/index.css`)
  return chunks
}

const SOURCES = { '/': 'inicio', '/donar/gracias': 'gracias' }
/** The source of a page: all programs have the same one. */
const sourceOf = (path) => `src/routes/${SOURCES[path] ?? (path.startsWith('/programas/') ? 'programa' : path.slice(1))}.tsx`

/**
 * The back office writes the metadata of an event between these comments (server/backoffice/pages), which enclose the
 * site's metadata. The first one contains data for it.
 */
const marks = (data) => [`<!--evento ${JSON.stringify(data).replaceAll('--', '-\\u002d')}-->`, '<!--/evento-->']

/** The provider that /LogIn offers beside the password; empty for none. */
const google = process.env.VITE_ACCESO_GOOGLE ? 'google.com' : ''

/** A page's metadata, styles of its own and fonts. provider is that of sign-ins. */
function head({ meta, path, data, provider, sheets, marks: [from, until] = [] }) {
  const canonical = `${url}${path === '/' ? '/' : path}`
  return [
    from,
    `<title>${escape(meta.title)}</title>`,
    `<meta name="description" content="${escape(meta.description)}" />`,
    `<meta name="robots" content="${meta.index ? 'index,follow' : 'noindex'}" />`,
    path ? `<link rel="canonical" href="${escape(canonical)}" />` : '',
    `<meta property="og:type" content="website" />`,
    `<meta property="og:locale" content="es_DO" />`,
    `<meta property="og:title" content="${escape(meta.title)}" />`,
    `<meta property="og:description" content="${escape(meta.description)}" />`,
    path ? `<meta property="og:url" content="${escape(canonical)}" />` : '',
    `<meta property="og:site_name" content="${escape(META['/'].title)}" />`,
    `<meta property="og:image" content="${url}/ilustraciones/og-default.png" />`,
    `<meta property="og:image:width" content="1200" />`,
    `<meta property="og:image:height" content="630" />`,
    `<meta property="og:image:alt" content="${escape(META['/'].title)}" />`,
    `<meta name="twitter:card" content="summary_large_image" />`,
    until,
    ...sheets.map((file) => `<link rel="stylesheet" crossorigin href="/${file}" />`),
    provider ? `<meta name="acceso-google" content="${provider}" />` : '',
    ...fonts.map((file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}" />`),
    data ? `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>` : '',
  ]
    .filter(Boolean)
    .join('\n    ')
}

/** A page's scripts. If the page has visible content, they are in a template for start.js. */
function scripts(html, preload) {
  if (!html) return script
  const links = preload.map((file) => `<link rel="modulepreload" crossorigin fetchpriority="low" href="/${file}" />`)
  return `<template id="guiones">${links.join('')}${script.replace(' src=', ' fetchpriority="low" src=')}</template>`
}

async function write(
  file,
  { meta, path, data = null, provider = '', sheets = [], marks, html = '', route = '', preload = [], after = '', withScripts = true },
) {
  const page = template
    .replace(script, '')
    .replace(styles, '')
    .replace('<!--guiones-->', () => (withScripts ? scripts(html, preload) : ''))
    .replace('<!--meta-->', () => `${styles}\n    ${head({ meta, path, data, provider, sheets, marks })}`)
    .replace('<div id="raiz"><!--app--></div>', () => `<div id="raiz"${route ? ` data-ruta="${escape(route)}"` : ''}>${html}</div>${after}`)
  if (page.includes('<!--meta-->') || /<script>/.test(html) || / style="/.test(html)) {
    throw new Error(`${file}: an inline script or style, which the site's own policy forbids`)
  }
  const target = join(DIST, file)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, page)
}

for (const path of pages) {
  const { html, meta, route, data } = await prerender(path, url)
  const preload = chunksOf(sourceOf(path))
  await write(path === '/' ? 'index.html' : `${path.slice(1)}.html`, { meta, path, data, html, route, preload })
}
const missing = await prerender('/no-encontrada', url)
const missingPreload = chunksOf('src/routes/no-encontrada.tsx')
await write('404.html', { meta: missing.meta, path: '', html: missing.html, route: missing.route, preload: missingPreload })
// The page of an event that cannot be read: its scripts try again.
await write('eventos/plantilla.html', { meta: META['/eventos/:id'], path: '', after: noScript('event') })
// The page of every other event. The back office fills it in (server/backoffice/pages).
const { frame, ...parts } = eventTemplate()
await write('eventos/plantilla-completa.html', {
  meta: META['/eventos/:id'],
  path: '',
  marks: marks({ url, name: META['/'].title, ...parts }),
  html: frame,
  route: '/eventos/:id',
  preload: chunksOf('src/routes/evento.tsx'),
})
// The shell of the panel has "noindex" until a page changes it.
await write('app.html', { meta: { ...META['/'], index: false }, path: '', provider: google, after: noScript('panel') })

// The form of the panel's sign-in.
const access = await prerender('/LogIn', url)
const { chunks: accessChunks, styles: accessStyles } = filesFor('src/routes/log-in.tsx')
await write('LogIn.html', {
  meta: access.meta,
  path: '',
  provider: google,
  // Styles of the tabs' library, which the site's own sheet has too. Hydration does not compare styles.
  html: access.html.replaceAll(/ style="(?:outline:none|animation-duration:0s)"/g, ''),
  route: access.route,
  sheets: accessStyles,
  preload: accessChunks,
  after: noScript('panel'),
})

// The page for the back office's texts at /boletin/baja and /boletin/confirmar. It has no scripts, because the links of e-mails need none.
const unsubscribeMeta = { title: `Boletín · ${META['/'].title}`, description: META['/'].description, index: false }
await write('boletin/plantilla.html', { meta: unsubscribeMeta, path: '', after: unsubscribePage('<!--baja-->'), withScripts: false })

// The service worker's answer for a page that is not stored.
const offlineMeta = { title: `Sin conexión · ${META['/'].title}`, description: META['/'].description, index: false }
await write('sin-conexion.html', { meta: offlineMeta, path: '', after: offlinePage(), withScripts: false })

// The back office adds the events to /sitemap.xml.
const entries = pages.filter((path) => META[path].index).map((path) => `  <url><loc>${url}${path}</loc></url>`)
await writeFile(
  join(DIST, 'sitemap-paginas.xml'),
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`,
)
// No page is hidden: search engines must read the "noindex" of /LogIn and /AdminView, or they list them by links.
await writeFile(join(DIST, 'robots.txt'), `User-agent: *\nDisallow:\n\nSitemap: ${url}/sitemap.xml\n`)
await rm(DIST_SSR, { recursive: true })

/** The files of chunks and of all their imports. */
function filesOf(keys, isWanted, seen = new Map()) {
  for (const key of keys) {
    const chunk = manifest[key]
    if (!chunk || seen.has(key) || !isWanted(key)) continue
    seen.set(key, [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])])
    filesOf([...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])], isWanted, seen)
  }
  return [...new Set([...seen.values()].flat())].map((file) => `/${file}`)
}

// The service worker. Its version changes with every change of a served file.
const entryKey = always(manifest)[0]
const panelRoute = (key) => /^src\/routes\/(?:log-in|admin)/.test(key)
const publicFiles = filesOf([entryKey], (key) => !panelRoute(key))
const shellRoutes = ['/', '/calendario']
const shellFiles = shellRoutes.flatMap((path) => chunksOf(sourceOf(path))).map((file) => `/${file}`)
const shellStyles = publicFiles.filter((file) => file.endsWith('.css'))
const shell = [...shellRoutes, '/sin-conexion', fixedStartScript, `/${manifest[entryKey].file}`]
const served = createHash('sha256')
for (const name of (await readdir(DIST, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()) {
  served.update(name.slice(DIST.length)).update(await readFile(name))
}
const constants = {
  "'__VERSION__'": served.digest('hex').slice(0, 12),
  __SHELL__: [...new Set([...shell, ...shellFiles, ...shellStyles, ...fonts.map((file) => `/${file}`)])],
  __ASSETS__: [fixedStartScript, ...publicFiles],
  __PATHS__: pages,
}
let worker = await readFile(join(DIST, 'sw.js'), 'utf8')
for (const [name, value] of Object.entries(constants)) {
  if (!worker.includes(name)) throw new Error(`sw.js has no ${name}`)
  worker = worker.replace(name, JSON.stringify(value))
}
await writeFile(join(DIST, 'sw.js'), worker)

// The Brotli form of each text, with a higher quality than a server uses for responses. Firebase Hosting makes its own.
for (const name of await readdir(DIST, { recursive: true })) {
  if (!/\.(?:css|html|js|svg|txt|webmanifest|xml)$/.test(name)) continue
  const text = await readFile(join(DIST, name))
  if (text.length >= LEAST_COMPRESSED) await writeFile(join(DIST, `${name}.br`), brotliCompressSync(text))
}
