import { expect, test } from '@playwright/test'
import { admin, clear, createAdmin } from './admin-world'
import { seed, stopClock } from './public-world'

// The SDKs in the browser recover from faults that Clave makes happen. The official emulators make none.

test.skip('E2E_OFFICIAL' in process.env || 'BASE_URL' in process.env, 'only a Clave that the tests own makes faults happen')

/** Calls a control route of the project. */
async function control(method: string, verb: string, body: object = {}): Promise<void> {
  const server = process.env['FIRESTORE_EMULATOR_HOST'] ?? ''
  const project = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`http://${server}/emulator/v1/projects/${project}:${verb}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${verb}: ${answer.status} ${await answer.text()}`)
}

test.beforeEach(clear)
test.afterEach(() => control('DELETE', 'faults'))

test('a live list shows what was written while its streams failed', async ({ page }) => {
  await stopClock(page)
  await seed('uno', '2027-09-18', '19:30')
  await page.goto('/calendario')
  const shown = (id: string) => page.getByRole('heading', { level: 3, name: `Evento ${id}` }).first()
  await expect(shown('uno')).toBeVisible()
  await control('PUT', 'faults', { faults: [{ calls: 'streams', error: 'UNAVAILABLE', times: 2 }] })
  await control('POST', 'dropStreams')
  await seed('dos', '2027-09-19', '19:30')
  await expect(shown('dos')).toBeVisible()
})

test('sign-in reports a limit and a lost answer, and then succeeds', async ({ page }) => {
  await createAdmin()
  await page.goto('/LogIn')
  const faults = [
    { error: 'TOO_MANY_ATTEMPTS_TRY_LATER', times: 1 },
    { lost: true, times: 1 },
  ]
  await control('PUT', 'faults', { faults: faults.map((fault) => ({ calls: 'auth', method: 'signInWithPassword', ...fault })) })
  const enter = page.getByRole('button', { name: 'Entrar' })
  await page.getByLabel('Correo electrónico').fill(admin.email)
  for (const text of ['Demasiados intentos. Inténtalo de nuevo en unos minutos.', 'Problema de red. Verifica tu conexión.']) {
    await page.getByLabel('Contraseña').fill(admin.key)
    await enter.click()
    await expect(page.getByRole('alert')).toHaveText(text)
  }
  await page.getByLabel('Contraseña').fill(admin.key)
  await enter.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Panel Administrativo' })).toBeVisible()
})
