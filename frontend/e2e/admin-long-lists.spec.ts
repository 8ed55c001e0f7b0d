import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { openPanel, erase, createAdmin, write, event, clear } from './admin-world'

const MANY = 130
const email = (n: number) => `persona${String(n).padStart(3, '0')}@x.do`
const subscribe = (n: number) =>
  write(`Massive Boletin/b${n}`, { email: email(n), source: 'homepage', createdAt: new Date(1_800_000_000_000 + n * 1000) })

test.beforeEach(async () => {
  await clear()
  await createAdmin()
})

/** The collection and the limit of each query that the page listens to. */
function listens(page: Page): { collectionName: string; limit: number | undefined }[] {
  const views: { collectionName: string; limit: number | undefined }[] = []
  page.on('request', (sent) => {
    if (!sent.url().includes('/Listen/')) return
    for (const [, text] of new URLSearchParams(sent.postData() ?? '')) {
      const collectionName = /"collectionId":"([^"]+)"/.exec(text)?.[1]
      const limit = /"limit":(\d+)/.exec(text)?.[1]
      if (collectionName) views.push({ collectionName, limit: limit === undefined ? undefined : Number(limit) })
    }
  })
  return views
}

test('the visible page of a long list is live, and the rest is counted', async ({ page }) => {
  await Promise.all(Array.from({ length: MANY }, (_, n) => subscribe(n)))
  const views = listens(page)
  await openPanel(page, 'Boletín')
  await expect(page.getByText(`Total: ${MANY}`)).toBeVisible()
  await expect(page.getByText('Página 1 de 6')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(26)
  expect(views.length).toBeGreaterThan(0)
  expect(views.filter(({ limit }) => limit === undefined)).toEqual([])
  expect(Math.max(...views.filter(({ collectionName }) => collectionName === 'MusicEvent').map(({ limit }) => limit ?? 0), 0)).toBe(0)
  await subscribe(MANY)
  await expect(page.getByRole('row').nth(1)).toContainText(email(MANY))
  await expect(page.getByText(`Total: ${MANY + 1}`)).toBeVisible()
  await erase(`Massive Boletin/b${MANY}`)
  await expect(page.getByText(`Total: ${MANY}`)).toBeVisible()
  // The address opens the last page directly.
  await page.goto('/AdminView?tab=boletin&pagina=6')
  await expect(page.getByText('Página 6 de 6')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(6)
  await expect(page.getByRole('row').last()).toContainText(email(0))
})

test('searching, sorting and the file look at all of a long list', async ({ page }) => {
  await Promise.all(Array.from({ length: MANY }, (_, n) => subscribe(n)))
  await openPanel(page, 'Boletín')
  await expect(page.getByText(`Total: ${MANY}`)).toBeVisible()
  await page.getByLabel('Incluir sin confirmar en el CSV').check()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const text = await readFile((await (await download).path()) ?? '', 'utf8')
  expect(text.trim().split('\r\n')).toHaveLength(MANY + 1)
  await page.getByLabel('Buscar…').fill('persona00')
  await expect(page.getByText(`10 de ${MANY}`)).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(11)
  await page.goto('/AdminView?tab=boletin&orden=email&filas=50')
  await expect(page.getByRole('row')).toHaveCount(51)
  await expect(page.getByRole('row').nth(1)).toContainText(email(0))
  await expect(page.getByText('Página 1 de 3')).toBeVisible()
})

test('of many events the first are shown, and more when asked', async ({ page }) => {
  await Promise.all(
    Array.from({ length: 70 }, (_, n) => {
      const eventDate = new Date(Date.UTC(2031, 0, 1 + n, 23, 30))
      return write(`MusicEvent/e${n}`, event({ title: `Evento ${n}`, date: eventDate.toISOString().slice(0, 10), eventDate }))
    }),
  )
  await openPanel(page, 'Eventos')
  await expect(page.getByText('60 de 70')).toBeVisible()
  await page.getByRole('button', { name: 'Mostrar más eventos' }).click()
  await expect(page.getByText('Total: 70')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Evento 69', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mostrar más eventos' })).toHaveCount(0)
})

test('P-17 the summary counts forms since the last visit', async ({ page }) => {
  await write('Massive Boletin/vieja', { email: 'v@x.do', source: 'homepage', createdAt: new Date(Date.now() - 86_400_000) })
  await openPanel(page, 'Boletín')
  const summary = page.getByRole('region', { name: 'Resumen' })
  await expect(summary.getByRole('link', { name: /Suscripciones/ })).toHaveText('1Suscripciones')
  await expect(summary.getByText('desde tu última visita')).toHaveCount(0)
  await page.goto('/historia')
  await write('Massive Boletin/nueva', { email: 'n@x.do', source: 'homepage', createdAt: new Date() })
  await page.goto('/AdminView')
  await expect(summary.getByText(/^1 formulario nuevo desde tu última visita \(.+\)$/)).toBeVisible()
})
