/** Lets the service worker (public/sw.js) keep a page that is shown, with what it has loaded, for reading without connection. */
export async function keepPage(path: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  await navigator.serviceWorker.register('/sw.js')
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  active?.postMessage({ keep: [path, ...loaded] })
}
