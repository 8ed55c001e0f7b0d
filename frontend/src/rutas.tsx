import type { ComponentType } from 'react'

/** A page's chunk: its default export is the page. */
type Modulo = { default: ComponentType }

/** Loads each page's own chunk. */
const modulos = {
  '/': () => import('./routes/inicio'),
  '/informacion': () => import('./routes/informacion'),
  '/historia': () => import('./routes/historia'),
  '/equipo': () => import('./routes/equipo'),
  '/voluntarios': () => import('./routes/voluntarios'),
  '/programas': () => import('./routes/programas'),
  '/instrumentos': () => import('./routes/instrumentos'),
  '/ensambles': () => import('./routes/ensambles'),
  '/calendario': () => import('./routes/calendario'),
  '/contacto': () => import('./routes/contacto'),
  '/donar': () => import('./routes/donar'),
  '/privacidad': () => import('./routes/privacidad'),
  '/eventos/:id': () => import('./routes/evento'),
  '/LogIn': () => import('./routes/log-in'),
  '/AdminView': () => import('./routes/admin-view'),
  '*': () => import('./routes/no-encontrada'),
} satisfies Record<string, () => Promise<Modulo>>

/** The path of a page, as the router knows it. */
export type Ruta = keyof typeof modulos

/** Every page's path. */
const RUTAS = Object.keys(modulos) as Ruta[]

/** Pages that are here already. A page that was loaded is drawn without waiting: nothing flashes. */
const cargadas = new Map<Ruta, ComponentType>()

/** Pages on their way. */
const enCamino = new Map<Ruta, Promise<ComponentType>>()

/** The page of a path, if its chunk is here. */
export function pagina(ruta: Ruta): ComponentType | undefined {
  return cargadas.get(ruta)
}

/** Brings a page's chunk; a failure may be tried again. */
export function cargar(ruta: Ruta): Promise<ComponentType> {
  const pendiente = enCamino.get(ruta)
  if (pendiente) return pendiente
  const promesa = modulos[ruta]().then(
    (modulo) => {
      cargadas.set(ruta, modulo.default)
      return modulo.default
    },
    (error: unknown) => {
      enCamino.delete(ruta)
      throw error
    },
  )
  enCamino.set(ruta, promesa)
  return promesa
}

/** The last part of a path: an event's id. */
export function idDe(camino: string): string {
  const ultimo = camino.replace(/\/+$/, '').split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(ultimo)
  } catch {
    // Not an encoded text: taken as it is.
    return ultimo
  }
}

/** Which page a path shows. */
export function rutaDe(camino: string): Ruta {
  const limpio = camino.length > 1 ? camino.replace(/\/+$/, '') : camino
  const directa = RUTAS.find((ruta) => ruta === limpio)
  if (directa) return directa
  return /^\/eventos\/[^/]+$/.test(limpio) ? '/eventos/:id' : '*'
}

/** The page that an address means but for its capitals, such as a phone writes them by itself; null where there is none. */
export function rutaSinMayusculas(camino: string): Ruta | null {
  const limpio = camino.toLowerCase().replace(/\/+$/, '')
  const destino = RUTAS.find((ruta) => ruta.toLowerCase() === limpio)
  return destino && destino !== rutaDe(camino) ? destino : null
}

/** Brings the page of an address ahead of time, when a link to it is hovered or focused. */
export function adelantar(destino: string): void {
  const { pathname } = new URL(destino, 'http://sitio')
  // A failure is shown by the page itself once it is asked for.
  cargar(rutaDe(pathname)).catch(() => undefined)
}
