// Offline reading: stores visited pages and pictures, and the files that every page needs. scripts/build.mjs fills in
// the constants. This worker does not answer requests that are not listed here: the panel, the data, and everything
// that is sent.
//
// Pages are not stale: they come from the network whenever it responds, and refer to scripts by content. A new build is
// a new worker with new caches. It takes over at once and loads the pages that the old one had stored.
const VERSION = '__VERSION__'
/** The files that are loaded when the worker is installed. */
const SHELL = __SHELL__
/** The scripts, styles and fonts of this build that public pages use. */
const ASSETS = new Set(__ASSETS__)
/** The public pages. The pages of events are added to them. */
const PATHS = new Set(__PATHS__)

const PAGES = `paginas-${VERSION}`
const FILES = `archivos-${VERSION}`
const MAX_PAGES = 50
const MAX_FILES = 200
const FALLBACK = '/sin-conexion'

/** The kind of an address for this worker; undefined if it does not answer it. */
function kindOf({ origin, pathname }) {
  if (origin !== location.origin) return null
  if (PATHS.has(pathname) || /^\/eventos\/[^/]+$/.test(pathname)) return 'page'
  if (ASSETS.has(pathname) || /^\/(?:ilustraciones|imagenes)\//.test(pathname)) return 'file'
  return /^\/[^/]+\.(?:svg|png|webmanifest)$/.test(pathname) ? 'file' : null
}

/** Stores a successful answer and removes the oldest ones beyond the cache's limit. */
async function keep(name, path, response) {
  if (!response.ok || response.redirected || response.type !== 'basic' || /no-store/.test(response.headers.get('Cache-Control') ?? '')) return
  const cache = await caches.open(name)
  await cache.put(path, response)
  const keys = await cache.keys()
  const most = name === PAGES ? MAX_PAGES : MAX_FILES
  const shell = new Set(SHELL)
  const others = keys.filter(({ url }) => !shell.has(new URL(url).pathname))
  for (const key of others.slice(0, Math.max(0, keys.length - most))) await cache.delete(key)
}

/** Returns a page from the network, otherwise the stored one, otherwise the page that reports the missing connection. */
async function page(event, path) {
  try {
    const response = await fetch(event.request)
    event.waitUntil(keep(PAGES, path, response.clone()))
    return response
  } catch (error) {
    const known = (await caches.match(path)) ?? (await caches.match(FALLBACK))
    if (known) return known
    throw error
  }
}

/** Returns a file, whose content never changes under its name in one build. */
async function file(event, path) {
  const known = await caches.match(path)
  if (known) return known
  const response = await fetch(event.request)
  event.waitUntil(keep(FILES, path, response.clone()))
  return response
}

addEventListener('install', (event) => {
  const install = async () => {
    const [pages, files] = await Promise.all([caches.open(PAGES), caches.open(FILES)])
    const isPage = (path) => kindOf(new URL(path, location.origin)) === 'page' || path === FALLBACK
    await Promise.all([pages.addAll(SHELL.filter(isPage)), files.addAll(SHELL.filter((path) => !isPage(path)))])
    const before = (await caches.keys()).filter((name) => name.startsWith('paginas-') && name !== PAGES)
    const seen = (await Promise.all(before.map(async (name) => (await caches.open(name)).keys()))).flat()
    // A page that does not exist any more is removed.
    await Promise.allSettled(
      seen.map(async ({ url }) => {
        const { pathname } = new URL(url)
        if (kindOf(new URL(url)) === 'page') await keep(PAGES, pathname, await fetch(pathname))
      }),
    )
    await skipWaiting()
  }
  event.waitUntil(install())
})

addEventListener('activate', (event) => {
  const activate = async () => {
    const old = (await caches.keys()).filter((name) => name !== PAGES && name !== FILES)
    await Promise.all(old.map((name) => caches.delete(name)))
    await clients.claim()
  }
  event.waitUntil(activate())
})

addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET') return
  const url = new URL(request.url)
  const kind = kindOf(url)
  if (kind === 'page' && request.mode === 'navigate') event.respondWith(page(event, url.pathname))
  if (kind === 'file') event.respondWith(file(event, url.pathname))
})

// A page sends what it loaded before this worker ran, and the page that it shows without having loaded it.
addEventListener('message', (event) => {
  const addresses = Array.isArray(event.data?.keep) ? event.data.keep.slice(0, MAX_FILES) : []
  const add = async (address) => {
    const url = new URL(address, location.origin)
    const kind = kindOf(url)
    if (!kind || (await caches.match(url.pathname))) return
    await keep(kind === 'page' ? PAGES : FILES, url.pathname, await fetch(url.pathname))
  }
  event.waitUntil(Promise.allSettled(addresses.map(add)))
})
