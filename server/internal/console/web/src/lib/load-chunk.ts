/** The files that were requested and have not failed, by their addresses. */
const requested = new Map<string, Promise<unknown>>()

/** Adds a sheet of styles to the page. */
function addStyles(href: string): Promise<unknown> {
  return new Promise((done, fail) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.onload = done
    link.onerror = () => {
      link.remove()
      fail(new TypeError(`Failed to fetch ${href}`))
    }
    document.head.append(link)
  })
}

/** Loads a script into the browser's cache. */
async function loadScript(href: string): Promise<void> {
  const response = await fetch(href)
  if (!response.ok) throw new TypeError(`Failed to fetch ${href}: ${response.status}`)
  await response.arrayBuffer()
}

/** Loads a file of the build. After a failure, another call loads it again. */
function request(href: string): Promise<unknown> {
  const pending = requested.get(href)
  if (pending) return pending
  // The page's HTML requests the files that it needs itself.
  const own = document.querySelector(`link[href="${href}"], script[src="${href}"]`)
  const start = href.endsWith('.css') ? addStyles : loadScript
  const promise = own ? Promise.resolve() : start(href)
  requested.set(href, promise)
  promise.catch(() => requested.delete(href))
  return promise
}

/**
 * Imports a chunk after its files have been loaded. The build calls this function for each import() (vite.config.ts).
 *
 * Some browsers, such as Chromium 111 to 150, store that a module was not loaded: each later import() of it fails, also when the
 * connection is back, until the page is reloaded. They store failed preloads, too, but not other failed requests. import() takes the
 * files from the browser's cache.
 */
export async function loadChunk<T>(load: () => Promise<T>, files: string[] = []): Promise<T> {
  await Promise.all(files.map((file) => request(`/${file}`)))
  return load()
}
