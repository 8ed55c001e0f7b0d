import { expect, type Page, type Request } from '@playwright/test'
import { type Inputs, write } from './admin-world'
import { holdRequests } from './hold'

/** The time at which public pages are tested. */
export const NOW = '2027-09-15T14:00:00-04:00'

/** Stops the page's clock at AHORA. The server's clock runs. */
export async function stopClock(page: Page, moment = NOW): Promise<void> {
  await page.clock.setFixedTime(moment)
}

/** Writes an event at a day and time in Santo Domingo, with further fields. */
export async function seed(id: string, day: string, time: string, fields: Inputs = {}): Promise<void> {
  await write(`MusicEvent/${id}`, {
    title: `Evento ${id}`,
    description: `Descripción de ${id}`,
    location: 'Teatro Nacional',
    featuredArtist: '',
    price: null,
    date: day,
    time: time,
    eventDate: new Date(`${day}T${time}:00-04:00`),
    isPublished: true,
    ...fields,
  })
}

/** Waits until the page is hydrated. From then on its theme is the browser's preference. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(page.getByRole('button', { name: 'Usar tema claro' })).toBeVisible()
}

const WRITE = '**/v1/projects/**:commit*'

/** Holds the form's write until it is released, then forwards it or lets it fail. */
export async function hold(page: Page, end: 'continues' | 'fails'): Promise<{ release: () => void }> {
  return { release: await holdRequests(page, WRITE, (route) => (end === 'continues' ? route.continue() : route.abort())) }
}

/** Counts the writes that the page attempts. */
export function countWrites(page: Page): { howMany: () => number } {
  let howMany = 0
  page.on('request', (sent: Request) => {
    if (sent.url().includes(':commit')) howMany++
  })
  return { howMany: () => howMany }
}

/** Checks that a stored form has exactly these fields and the server's time. */
export function expectForm(saved: Inputs | undefined, fields: Inputs): void {
  const { id, createdAt, ...rest } = saved ?? {}
  expect(typeof id).toBe('string')
  expect(rest).toEqual(fields)
  expect(createdAt).toBeInstanceOf(Date)
  const age = Date.now() - (createdAt instanceof Date ? createdAt.getTime() : 0)
  expect(Math.abs(age)).toBeLessThan(60_000)
}

/** Deletes all documents. The public site has no accounts. */
export async function clearData(): Promise<void> {
  const server = process.env['FIRESTORE_EMULATOR_HOST'] ?? '127.0.0.1:8080'
  const route = `projects/${process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'}/databases/(default)/documents`
  const answer = await fetch(`http://${server}/emulator/v1/${route}`, { method: 'DELETE', headers: { Authorization: 'Bearer owner' } })
  if (!answer.ok) throw new Error(`the store was not emptied: ${answer.status}`)
}

/** Matches the address of the client of live queries. */
export const LIVE = /\/assets\/live-[\w-]+\.js$/

/** Makes the page a hidden tab until uncoverPage is called, so that time alone does not load the client of live queries. */
export async function coverPage(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(document, 'hidden', { configurable: true, value: true }))
}

/** Shows the tab again. */
export async function uncoverPage(page: Page): Promise<void> {
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  })
}
