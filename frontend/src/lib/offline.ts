/** Requests the service worker (public/sw.js) to store the shown page and its files for offline reading. */
export async function keepPage(path: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  await navigator.serviceWorker.register('/sw.js')
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  active?.postMessage({ keep: [path, ...loaded] })
}
