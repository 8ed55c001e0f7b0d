import type { ComponentType } from 'react'
import { type RoutePath, routeOf } from './paths'

/** Loads the chunk of each page, whose default export is the page. */
export type Chunks = Record<RoutePath, () => Promise<{ default: ComponentType }>>

let chunks: Chunks | undefined

/** Sets the chunks of the pages, once, before a page is loaded. */
export function setChunks(all: Chunks): void {
  chunks = all
}

/** The loaded pages. They are rendered immediately, without a skeleton. */
const loaded = new Map<RoutePath, ComponentType>()

/** Pages that are being loaded or were loaded. */
const underway = new Map<RoutePath, Promise<ComponentType>>()

/** The page of a path, if its chunk is loaded. */
export function page(route: RoutePath): ComponentType | undefined {
  return loaded.get(route)
}

/** Loads a page's chunk. After a failure, another call retries. */
export function load(route: RoutePath): Promise<ComponentType> {
  const pending = underway.get(route)
  if (pending) return pending
  if (!chunks) throw new Error('no chunks are set')
  const promise = chunks[route]().then(
    (module) => {
      loaded.set(route, module.default)
      return module.default
    },
    (error: unknown) => {
      underway.delete(route)
      throw error
    },
  )
  underway.set(route, promise)
  return promise
}

/** Loads the page of an address in advance, when a link to it is hovered or focused. */
export function prefetch(target: string): void {
  const { pathname } = new URL(target, 'http://sitio')
  // The page reports a failure when it is opened.
  load(routeOf(pathname)).catch(() => undefined)
}
