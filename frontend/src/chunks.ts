import type { ComponentType } from 'react'
import { type RoutePath, routeOf } from './paths'

/** A page's chunk: its default export is the page. */
type Module = { default: ComponentType }

/** Loads the page of a program, which is the same for all. */
const program = () => import('./routes/programa')

/** Loads each page's own chunk. */
const modules = {
  '/': () => import('./routes/inicio'),
  '/informacion': () => import('./routes/informacion'),
  '/historia': () => import('./routes/historia'),
  '/impacto': () => import('./routes/impacto'),
  '/equipo': () => import('./routes/equipo'),
  '/voluntarios': () => import('./routes/voluntarios'),
  '/programas': () => import('./routes/programas'),
  '/programas/composicion': program,
  '/programas/orquesta': program,
  '/programas/docentes': program,
  '/instrumentos': () => import('./routes/instrumentos'),
  '/ensambles': () => import('./routes/ensambles'),
  '/calendario': () => import('./routes/calendario'),
  '/contacto': () => import('./routes/contacto'),
  '/donar': () => import('./routes/donar'),
  '/donar/gracias': () => import('./routes/gracias'),
  '/privacidad': () => import('./routes/privacidad'),
  '/eventos/:id': () => import('./routes/evento'),
  '/LogIn': () => import('./routes/log-in'),
  '/AdminView': () => import('./routes/admin-view'),
  '*': () => import('./routes/no-encontrada'),
} satisfies Record<RoutePath, () => Promise<Module>>

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
  const promise = modules[route]().then(
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
