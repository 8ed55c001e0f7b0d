import { useSyncExternalStore } from 'react'

/**
 * Unsaved work by the address of its page. It outlives the page's component and, in the tab's storage, a reload. The
 * storage is of the tab alone and has 5 MB; a larger draft is kept until the page is left, which the browser asks about.
 */
const PREFIX = 'console.draft.'
/** The pause in typing after which a draft is written to the tab's storage. */
const WRITE_MS = 400

/** Functions that write a draft as text. */
const drafts = new Map<string, () => string>()
const subscribers = new Set<() => void>()
let addresses: readonly string[] = []
let timer: ReturnType<typeof setTimeout> | undefined
/** The addresses whose stored text is older than the draft. */
const stale = new Set<string>()

/** Calls work with the storage of the tab, unless the browser refuses it. */
function withStorage<T>(work: (storage: Storage) => T): T | null {
  try {
    return work(sessionStorage)
  } catch {
    return null
  }
}

/** Writes the drafts to the tab's storage. */
function store(): void {
  clearTimeout(timer)
  for (const address of stale) {
    const text = drafts.get(address)?.()
    // A draft that does not fit removes its older text, which would be restored instead of it.
    withStorage((storage) => storage.removeItem(PREFIX + address))
    if (text !== undefined) withStorage((storage) => storage.setItem(PREFIX + address, text))
  }
  stale.clear()
}

/** The browser then asks whether the page may be left. */
function ask(event: BeforeUnloadEvent): void {
  store()
  event.preventDefault()
}

function announce(): void {
  const now = [...drafts.keys()]
  if (now.length === addresses.length && now.every((address, i) => address === addresses[i])) return
  addresses = now
  if (now.length > 0) {
    window.addEventListener('beforeunload', ask)
    window.addEventListener('pagehide', store)
  } else {
    window.removeEventListener('beforeunload', ask)
    window.removeEventListener('pagehide', store)
  }
  for (const tell of subscribers) tell()
}

/** Keeps a draft until dropDraft is called. write returns its text. */
export function keepDraft(address: string, write: () => string): void {
  drafts.set(address, write)
  stale.add(address)
  clearTimeout(timer)
  timer = setTimeout(store, WRITE_MS)
  announce()
}

/** Removes a draft: it was saved or discarded. */
export function dropDraft(address: string): void {
  if (!drafts.delete(address)) return
  stale.delete(address)
  withStorage((storage) => storage.removeItem(PREFIX + address))
  announce()
}

/** The text of the draft of an address; null if there is none. */
export const keptDraft = (address: string): string | null => drafts.get(address)?.() ?? null

/** Takes the drafts over that the tab's storage has. */
export function restoreDrafts(): void {
  withStorage((storage) => {
    for (const key of Object.keys(storage)) {
      const text = key.startsWith(PREFIX) ? storage.getItem(key) : null
      if (text !== null) drafts.set(key.slice(PREFIX.length), () => text)
    }
  })
  announce()
}

function subscribe(tell: () => void): () => void {
  subscribers.add(tell)
  return () => subscribers.delete(tell)
}

/** The addresses of all drafts. */
export const useDrafts = (): readonly string[] => useSyncExternalStore(subscribe, () => addresses)
