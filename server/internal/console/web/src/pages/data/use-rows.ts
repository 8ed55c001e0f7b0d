import { useCallback, useEffect, useRef, useState } from 'react'
import type { Changes, Watch } from '../../api/live'
import { PAGE } from '../../api/paths'
import { listRows, queryRows, type RowDoc, rowsAt } from '../../api/rows'
import { comparePaths, cursorAfter } from '../../lib/order'
import { type Query, writeQuery } from '../../lib/query'
import { collectionOf, type Scope } from '../../lib/scope'

/** The number of watched rows before and after the visible ones, and the maximum number of watched rows. */
const MARGIN = 50
const MAX_WATCHED = 400
/** The size of the documents that are watched, in bytes. The listener receives them whole. */
const MAX_WATCHED_BYTES = 2 << 20
/** How long a change is marked. */
const MARK_MS = 3000

export type Place = { scope: Scope; collection: string; group: boolean; query: Query }
type State = { key: string; docs: RowDoc[]; status: 'loading' | 'ready' | 'error'; error: unknown; more: boolean; token: string }
/** The state of the listener; it is paused while the visible documents are too large for it. */
export type Live = 'connecting' | 'on' | 'lost' | 'paused'

const isPlain = ({ group, query }: Place) => !group && query.where.length === 0 && query.order.length === 0 && query.limit === null

/** The next page after the loaded rows. */
async function nextPage(
  place: Place,
  docs: RowDoc[],
  token: string,
  signal: AbortSignal,
): Promise<{ docs: RowDoc[]; more: boolean; token: string }> {
  if (isPlain(place)) {
    const page = await listRows(place.scope, place.collection, token, signal)
    return { docs: page.rows, more: page.next !== '', token: page.next }
  }
  const { scope, query } = place
  const left = query.limit === null ? PAGE : Math.min(PAGE, query.limit - docs.length)
  const last = docs.at(-1)
  const source = sourceOf(place)
  const found = await queryRows(scope, { query, source, after: last ? cursorAfter(last, query, scope) : null, size: left, signal })
  const limited = query.limit !== null && docs.length + found.rows.length >= query.limit
  return { docs: found.rows, more: (found.more || found.rows.length === left) && !limited, token: '' }
}

const keyOf = ({ scope, collection, group, query }: Place) =>
  JSON.stringify([scope, collection, group, writeQuery({ ...query, aggregations: [] })])

type Rows = Awaited<ReturnType<typeof nextPage>>

/** The first page of rows that preloadRows loads, and its rows when they are loaded. It is used once. */
let early: { key: string; page: Promise<Rows>; rows: Rows | null } | null = null

/** Loads the first page of rows before the first rendering. The component that shows the rows reports a failure. */
export async function preloadRows(place: Place): Promise<void> {
  const page = nextPage(place, [], '', new AbortController().signal)
  const mine: typeof early = { key: keyOf(place), page, rows: null }
  early = mine
  mine.rows = await page.catch(() => null)
}

/** The initial state of rows: the preloaded rows, or none. */
function firstState(key: string): State {
  const rows = early?.key === key ? early.rows : null
  if (!rows) return fresh(key)
  early = null
  return { ...fresh(key), ...rows, status: 'ready' }
}

/** The pending page of rows for a key, if there is one. */
function takeEarly(key: string): Promise<Rows> | null {
  const page = early?.key === key ? early.page : null
  early = null
  return page
}

/** The watched part of the collection for a query. */
export function sourceOf({ collection, group }: Pick<Place, 'collection' | 'group'>) {
  const { parent, id } = collectionOf(collection)
  return { collection: id, group, parent: group ? '' : parent }
}

/** The rows of a collection or a query, loaded by pages. Changes of visible rows are applied and marked. */
export function useRows(place: Place) {
  const key = keyOf(place)
  const [state, setState] = useState<State>(() => firstState(key))
  /** Set while the rows are those of the initial state. */
  const untouched = useRef(true)
  const [turn, setTurn] = useState(0)
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set())
  const [live, setLive] = useState<Live>('connecting')
  const [seen, setSeen] = useState({ first: 0, last: 0 })
  const latest = useRef({ place, state })
  latest.current = { place, state }
  const busy = useRef<AbortController | null>(null)

  const load = useCallback((docs: RowDoc[], token: string) => {
    busy.current?.abort()
    const control = new AbortController()
    busy.current = control
    const { place: at } = latest.current
    const begun = docs.length === 0 ? takeEarly(keyOf(at)) : null
    ;(begun ?? nextPage(at, docs, token, control.signal)).then(
      (page) => {
        if (control.signal.aborted) return
        busy.current = null
        setState((now) => {
          const known = new Set(now.docs.map((doc) => doc.path))
          const all = docs.length === 0 ? page.docs : [...now.docs, ...page.docs.filter((doc) => !known.has(doc.path))]
          return { ...now, docs: all, status: 'ready', error: null, more: page.more, token: page.token }
        })
      },
      (error: unknown) => {
        if (control.signal.aborted) return
        busy.current = null
        setState((now) => ({ ...now, status: 'error', error, more: false }))
      },
    )
  }, [])

  useEffect(() => {
    const first = untouched.current
    untouched.current = false
    if (first && latest.current.state.status === 'ready') return () => busy.current?.abort()
    // On the first run this is the current state, and nothing is rendered again.
    setState((now) => (now.key === key && now.status === 'loading' ? now : fresh(key)))
    setSeen((now) => (now.first === 0 && now.last === 0 ? now : { first: 0, last: 0 }))
    setLive('connecting')
    load([], '')
    return () => busy.current?.abort()
  }, [key, turn, load])

  const loadMore = useCallback(() => {
    const { state: now } = latest.current
    if (now.status === 'ready' && now.more && !busy.current) load(now.docs, now.token)
  }, [load])

  const mark = useCallback((paths: string[]) => {
    if (paths.length === 0) return
    setMarks((now) => new Set([...now, ...paths]))
    setTimeout(() => setMarks((now) => new Set([...now].filter((path) => !paths.includes(path)))), MARK_MS)
  }, [])

  const window = watchWindow(seen, state.docs, !isPlain(place))
  const paused = window === null
  const watchKey = window && state.status === 'ready' && state.key === key ? `${key} ${turn} ${window.first} ${window.last}` : ''
  useEffect(() => {
    if (!watchKey || !window) return
    let stop = () => {}
    const control = new AbortController()
    const { place: at, state: now } = latest.current
    const apply = async (changes: Changes) => {
      setLive('on')
      const fix = await changedRows(at, latest.current.state.docs, changes, window, control.signal)
      if (control.signal.aborted || !fix) return
      mark(fix.changed)
      setState((current) => ({ ...current, docs: fix.merge(current.docs) }))
    }
    const lost = () => {
      if (!control.signal.aborted) setLive('lost')
    }
    import('../../api/live').then(({ watchDocuments }) => {
      if (control.signal.aborted) return
      stop = watchDocuments(watchOf(at, now, window), {
        changed: (changes) => void apply(changes).catch(lost),
        waiting: () => setLive('connecting'),
        failed: lost,
      })
    }, lost)
    return () => {
      control.abort()
      stop()
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the range is part of the key
  }, [watchKey, mark])

  return {
    ...state,
    status: state.key === key ? state.status : ('loading' as const),
    marks,
    live: paused ? ('paused' as const) : live,
    loadMore,
    see: useCallback(
      (first: number, last: number) => setSeen((now) => (now.first === first && now.last === last ? now : { first, last })),
      [],
    ),
    reload: useCallback(() => setTurn((n) => n + 1), []),
    /** Loads a row again, which the listener does only while it is connected. */
    refresh: useCallback((path: string) => {
      const { place: at } = latest.current
      rowsAt(at.scope, [path]).then(
        (found) =>
          setState((now) =>
            now.key === keyOf(at) ? { ...now, docs: now.docs.map((doc) => (doc.path === path ? (found.get(path) ?? doc) : doc)) } : now,
          ),
        () => {},
      )
    }, []),
  }
}

const fresh = (key: string): State => ({ key, docs: [], status: 'loading', error: null, more: false, token: '' })

type Window = { first: number; last: number }

/**
 * The rows to watch, in steps, so that short scrolling does not replace the listener: only visible ones if the documents
 * are large, and none if these are too large.
 */
export function watchWindow(seen: Window, docs: readonly { size: number }[], wholeQuery: boolean): Window | null {
  const end = Math.max(docs.length - 1, 0)
  const fits = ({ first, last }: Window) => docs.slice(first, last + 1).reduce((sum, doc) => sum + doc.size, 0) <= MAX_WATCHED_BYTES
  const from = Math.max(0, Math.floor(seen.first / MARGIN) * MARGIN - MARGIN)
  const usual = { first: from, last: Math.min(end, Math.ceil((seen.last + 1) / MARGIN) * MARGIN + MARGIN, from + MAX_WATCHED) }
  // The listener of a query receives its documents from the first one on.
  if (wholeQuery) return fits({ first: 0, last: Math.min(end, MAX_WATCHED) }) ? usual : null
  if (fits(usual)) return usual
  const visible = { first: seen.first, last: Math.min(end, seen.last) }
  return fits(visible) ? visible : null
}

function watchOf(place: Place, state: State, { first, last }: Window): Watch {
  const { scope, collection, group, query } = place
  const base = { scope, collection, group, limit: MAX_WATCHED }
  if (!isPlain(place))
    return { ...base, from: null, to: null, limit: Math.min(MAX_WATCHED, query.limit ?? Math.max(PAGE, state.docs.length)), query }
  const end = last === state.docs.length - 1 && !state.more
  const id = (at: number) => state.docs[at]?.id ?? null
  return { ...base, from: first === 0 ? null : id(first), to: end ? null : id(last), query: null }
}

type Fix = { changed: string[]; merge: (docs: RowDoc[]) => RowDoc[] }

/** Applies changes to the rows. Values are read again from the server, in full precision. */
async function changedRows(place: Place, docs: RowDoc[], changes: Changes, window: Window, signal: AbortSignal): Promise<Fix | null> {
  const old = new Map(docs.map((doc) => [doc.path, doc]))
  const differs = (doc: RowDoc) => old.get(doc.path)?.updateTime !== doc.updateTime
  if (!isPlain(place)) {
    if (changes.first && changes.added.length === Math.min(docs.length, MAX_WATCHED) && changes.added.every((path) => old.has(path)))
      return null
    const size = Math.min(Math.max(docs.length, PAGE), place.query.limit ?? MAX_WATCHED, MAX_WATCHED)
    const { rows: now, more } = await queryRows(place.scope, { query: place.query, source: sourceOf(place), after: null, size, signal })
    const read = more ? now.length : size
    return { changed: now.filter(differs).map((doc) => doc.path), merge: (all) => (all.length > read ? [...now, ...all.slice(read)] : now) }
  }
  const inWindow = docs.slice(window.first, window.last + 1).filter((doc) => !doc.missing)
  const gone = changes.first ? inWindow.map((doc) => doc.path).filter((path) => !changes.added.includes(path)) : changes.removed
  const asked = [...new Set([...changes.added, ...changes.modified, ...gone])]
  if (asked.length === 0) return null
  const found = await rowsAt(place.scope, asked, signal)
  const changed = [...found.values()].filter(differs)
  const removed = new Set(gone.filter((path) => !found.has(path)))
  if (changed.length === 0 && removed.size === 0) return null
  const updated = new Map(changed.map((doc) => [doc.path, doc]))
  const merge = (all: RowDoc[]) => {
    const kept = all.filter((doc) => !removed.has(doc.path)).map((doc) => updated.get(doc.path) ?? doc)
    const known = new Set(kept.map((doc) => doc.path))
    const added = changed.filter((doc) => !known.has(doc.path))
    return added.length === 0 ? kept : [...kept, ...added].toSorted((a, b) => comparePaths(a.path, b.path))
  }
  return { changed: changed.map((doc) => doc.path), merge }
}
