import { expect, type Page, type Request } from '@playwright/test'
import { type Campos, escribir } from './admin-mundo'

/** The moment at which public pages are looked at. */
export const AHORA = '2027-09-15T14:00:00-04:00'

/** Stops the page's clock at AHORA; the server's goes on. */
export async function pararReloj(page: Page, momento = AHORA): Promise<void> {
  await page.clock.setFixedTime(momento)
}

/** Writes an event of a day and time in Santo Domingo, with whatever else. */
export async function sembrar(id: string, dia: string, hora: string, campos: Campos = {}): Promise<void> {
  await escribir(`MusicEvent/${id}`, {
    title: `Evento ${id}`,
    description: `Descripción de ${id}`,
    location: 'Teatro Nacional',
    featuredArtist: '',
    price: null,
    date: dia,
    time: hora,
    eventDate: new Date(`${dia}T${hora}:00-04:00`),
    isPublished: true,
    ...campos,
  })
}

/** Waits until the page is live: what it says of the theme then is what the browser prefers. */
export async function esperarVida(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.getByRole('button', { name: 'Usar tema claro' })).toBeVisible()
}

const ESCRITURA = '**/v1/projects/**:commit*'

/** Holds the form's write until released, then lets it through or fails it. */
export async function retener(page: Page, final: 'sigue' | 'falla'): Promise<{ soltar: () => void }> {
  let soltar = () => undefined as void
  const espera = new Promise<void>((listo) => {
    soltar = listo
  })
  await page.route(ESCRITURA, async (ruta) => {
    await espera
    await (final === 'sigue' ? ruta.continue() : ruta.abort())
  })
  return { soltar: () => soltar() }
}

/** Counts the writes that the page tries. */
export function contarEscrituras(page: Page): { cuantas: () => number } {
  let cuantas = 0
  page.on('request', (peticion: Request) => {
    if (peticion.url().includes(':commit')) cuantas++
  })
  return { cuantas: () => cuantas }
}

/** What a stored form must be: these fields and a moment by the server's clock, which runs on. */
export function esperarFormulario(guardado: Campos | undefined, campos: Campos): void {
  const { id, createdAt, ...resto } = guardado ?? {}
  expect(typeof id).toBe('string')
  expect(resto).toEqual(campos)
  expect(createdAt).toBeInstanceOf(Date)
  const edad = Date.now() - (createdAt instanceof Date ? createdAt.getTime() : 0)
  expect(Math.abs(edad)).toBeLessThan(60_000)
}

/** Leaves no document in the store; accounts are none of the public site's business. */
export async function vaciarDatos(): Promise<void> {
  const servidor = process.env['FIRESTORE_EMULATOR_HOST'] ?? '127.0.0.1:8080'
  const ruta = `projects/${process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'}/databases/(default)/documents`
  const respuesta = await fetch(`http://${servidor}/emulator/v1/${ruta}`, { method: 'DELETE', headers: { Authorization: 'Bearer owner' } })
  if (!respuesta.ok) throw new Error(`the store was not emptied: ${respuesta.status}`)
}
