// Offline reading: the pages and pictures that were seen, and what every page needs, without the network. scripts/build.mjs fills
// in the constants. What is not listed here is never answered by this worker: the panel, the data, and all that is sent.
//
// No app is stale: pages come from the network whenever it answers, and name their scripts by content. A new build is a new
// worker with new caches; it takes over at once and fetches anew the pages that the old one kept.
const VERSION = '__VERSION__'
/** What is fetched when the worker is installed. */
const SHELL = __SHELL__
/** The scripts, styles and fonts of this build that public pages use. */
const ASSETS = new Set(__ASSETS__)
/** The public pages; events' pages are added to them. */
const PATHS = new Set(__PATHS__)

const PAGES = `paginas-${VERSION}`
const FILES = `archivos-${VERSION}`
const MAX_PAGES = 50
const MAX_FILES = 200
const FALLBACK = '/sin-conexion'

/** What an address is for this worker: nothing, where it is not to be answered here. */
function kindOf({ origin, pathname }) {
  if (origin !== location.origin) return null
  if (PATHS.has(pathname) || /^\/eventos\/[^/]+$/.test(pathname)) return 'page'
  if (ASSETS.has(pathname) || /^\/(?:ilustraciones|imagenes)\//.test(pathname)) return 'file'
  return /^\/[^/]+\.(?:svg|png|webmanifest)$/.test(pathname) ? 'file' : null
}

/** Keeps a good answer, and drops the oldest beyond what a cache may hold. */
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

/** A page: from the network, else as it was seen last, else the page that says there is no connection. */
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

/** A file, which never changes under its name in one build. */
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
    // A page that is gone by now is not kept any longer.
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

// A page tells what it has loaded before this worker was there, and which page it shows without having loaded it.
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
