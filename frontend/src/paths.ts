/** The pages that are prerendered. sitemap.xml lists those that search engines may index. */
export const PUBLIC_PATHS = [
  '/',
  '/informacion',
  '/historia',
  '/impacto',
  '/equipo',
  '/voluntarios',
  '/programas',
  '/programas/composicion',
  '/programas/orquesta',
  '/programas/docentes',
  '/instrumentos',
  '/ensambles',
  '/calendario',
  '/contacto',
  '/donar',
  '/donar/gracias',
  '/privacidad',
] as const

/** Every page's path in the router. */
const ROUTES = [...PUBLIC_PATHS, '/eventos/:id', '/LogIn', '/AdminView', '*'] as const

/** The path of a page in the router. */
export type RoutePath = (typeof ROUTES)[number]

/** The last part of a path: an event's id. */
export function idOf(path: string): string {
  const last = path.replace(/\/+$/, '').split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    // The text is not encoded.
    return last
  }
}

/** The route of a path. */
export function routeOf(path: string): RoutePath {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path
  const direct = ROUTES.find((route) => route === clean)
  if (direct) return direct
  return /^\/eventos\/[^/]+$/.test(clean) ? '/eventos/:id' : '*'
}

/** The route of an address in lower case, if it differs from its own route, because phones capitalize words. Null if there is none. */
export function routeInLowerCase(path: string): RoutePath | null {
  const clean = path.toLowerCase().replace(/\/+$/, '')
  const target = ROUTES.find((route) => route.toLowerCase() === clean)
  return target && target !== routeOf(path) ? target : null
}
