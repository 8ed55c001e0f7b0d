import type { Condition, Order } from '../../firebase/panel'

/** How many rows of a list are watched: the first ones up to a number, or all. Zero means none. */
export type Extent = number | 'all'

/** The possible numbers of rows per page. */
export const SIZES = [25, 50, 100] as const

/** The maximum number of rows that are watched at once; further rows are found by searching. */
const MOST = 5000

/** The number of events that are shown at first. */
const EVENTS = 60

/** The number of rows per page in the address. */
export function sizeOf(params: URLSearchParams): number {
  return SIZES.find((size) => String(size) === params.get('filas')) ?? SIZES[0]
}

/** The page number in an address, counted from zero. */
export function pageOf(params: URLSearchParams): number {
  return Math.max(0, Math.trunc(Number(params.get('pagina') ?? 1)) - 1) || 0
}

/**
 * The extent of a table that is watched. In the default order, the newest first, it is the pages up to the visible one
 * and the next. A search, a filter or another order needs all rows, because the server compares neither parts of words
 * nor texts without accents.
 */
export function extentOf(params: URLSearchParams): Extent {
  const order = params.get('orden')
  if (params.get('q') || params.get('estado') || (order && order !== '-createdAt')) return 'all'
  return Math.min(MOST, (pageOf(params) + 2) * sizeOf(params))
}

/** The events that are shown: all, upcoming ones, or past ones. */
export type When = '' | 'proximos' | 'anteriores'

/** The events that a URL selects. Without a selection, upcoming ones on a phone. */
export function whenOf(params: URLSearchParams, narrow: boolean): When {
  const state = params.get('estado') ?? (narrow ? 'proximos' : '')
  return state === 'proximos' || state === 'anteriores' ? state : ''
}

/** The watched events: upcoming ones, past ones (latest first), or all from the first one. */
export function eventsWanted(params: URLSearchParams, now: Date, narrow: boolean): { order: Order; extent: Extent; only?: Condition } {
  const extent = params.get('q') ? 'all' : Math.min(MOST, (pageOf(params) + 1) * EVENTS)
  const earliest = { field: 'eventDate', direction: 'asc' } as const
  const when = whenOf(params, narrow)
  if (when === 'proximos') return { order: earliest, extent, only: ['eventDate', '>=', now] }
  if (when === 'anteriores') {
    return { order: { field: 'eventDate', direction: 'desc' }, extent, only: ['eventDate', '<', now] }
  }
  return { order: earliest, extent }
}
