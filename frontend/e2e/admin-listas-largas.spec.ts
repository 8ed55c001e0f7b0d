import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { abrirPanel, borrar, crearAdmin, escribir, evento, vaciar } from './admin-mundo'

const MUCHOS = 130
const correo = (n: number) => `persona${String(n).padStart(3, '0')}@x.do`
const suscribir = (n: number) =>
  escribir(`Massive Boletin/b${n}`, { email: correo(n), source: 'homepage', createdAt: new Date(1_800_000_000_000 + n * 1000) })

test.beforeEach(async () => {
  await vaciar()
  await crearAdmin()
})

/** The queries that the page listens to, as they are sent: the collection and the limit of each. */
function escuchas(page: Page): { coleccion: string; limite: number | undefined }[] {
  const vistas: { coleccion: string; limite: number | undefined }[] = []
  page.on('request', (peticion) => {
    if (!peticion.url().includes('/Listen/')) return
    for (const [, texto] of new URLSearchParams(peticion.postData() ?? '')) {
      const coleccion = /"collectionId":"([^"]+)"/.exec(texto)?.[1]
      const limite = /"limit":(\d+)/.exec(texto)?.[1]
      if (coleccion) vistas.push({ coleccion, limite: limite === undefined ? undefined : Number(limite) })
    }
  })
  return vistas
}

test('of a long list the page in view is read and lives, and the rest is counted', async ({ page }) => {
  await Promise.all(Array.from({ length: MUCHOS }, (_, n) => suscribir(n)))
  const vistas = escuchas(page)
  await abrirPanel(page, 'Boletín')
  await expect(page.getByText(`Total: ${MUCHOS}`)).toBeVisible()
  await expect(page.getByText('Página 1 de 6')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(26)
  expect(vistas.length).toBeGreaterThan(0)
  expect(vistas.filter(({ limite }) => limite === undefined)).toEqual([])
  expect(Math.max(...vistas.filter(({ coleccion }) => coleccion === 'MusicEvent').map(({ limite }) => limite ?? 0), 0)).toBe(0)
  await suscribir(MUCHOS)
  await expect(page.getByRole('row').nth(1)).toContainText(correo(MUCHOS))
  await expect(page.getByText(`Total: ${MUCHOS + 1}`)).toBeVisible()
  await borrar(`Massive Boletin/b${MUCHOS}`)
  await expect(page.getByText(`Total: ${MUCHOS}`)).toBeVisible()
  // The address alone leads to the last page.
  await page.goto('/AdminView?tab=boletin&pagina=6')
  await expect(page.getByText('Página 6 de 6')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(6)
  await expect(page.getByRole('row').last()).toContainText(correo(0))
})

test('searching, sorting and the file look at all of a long list', async ({ page }) => {
  await Promise.all(Array.from({ length: MUCHOS }, (_, n) => suscribir(n)))
  await abrirPanel(page, 'Boletín')
  await expect(page.getByText(`Total: ${MUCHOS}`)).toBeVisible()
  const descarga = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const texto = await readFile((await (await descarga).path()) ?? '', 'utf8')
  expect(texto.trim().split('\r\n')).toHaveLength(MUCHOS + 1)
  await page.getByLabel('Buscar…').fill('persona00')
  await expect(page.getByText(`10 de ${MUCHOS}`)).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(11)
  await page.goto('/AdminView?tab=boletin&orden=email&filas=50')
  await expect(page.getByRole('row')).toHaveCount(51)
  await expect(page.getByRole('row').nth(1)).toContainText(correo(0))
  await expect(page.getByText('Página 1 de 3')).toBeVisible()
})

test('of many events the first are shown, and more when asked', async ({ page }) => {
  await Promise.all(
    Array.from({ length: 70 }, (_, n) => {
      const eventDate = new Date(Date.UTC(2031, 0, 1 + n, 23, 30))
      return escribir(`MusicEvent/e${n}`, evento({ title: `Evento ${n}`, date: eventDate.toISOString().slice(0, 10), eventDate }))
    }),
  )
  await abrirPanel(page, 'Eventos')
  await expect(page.getByText('60 de 70')).toBeVisible()
  await page.getByRole('button', { name: 'Mostrar más eventos' }).click()
  await expect(page.getByText('Total: 70')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Evento 69', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mostrar más eventos' })).toHaveCount(0)
})

test('P-17 the summary says how much came since the last visit', async ({ page }) => {
  await escribir('Massive Boletin/vieja', { email: 'v@x.do', source: 'homepage', createdAt: new Date(Date.now() - 86_400_000) })
  await abrirPanel(page, 'Boletín')
  const resumen = page.getByRole('region', { name: 'Resumen' })
  await expect(resumen.getByRole('link', { name: /Suscripciones/ })).toHaveText('1Suscripciones')
  await expect(resumen.getByText('desde tu última visita')).toHaveCount(0)
  await page.goto('/historia')
  await escribir('Massive Boletin/nueva', { email: 'n@x.do', source: 'homepage', createdAt: new Date() })
  await page.goto('/AdminView')
  await expect(resumen.getByText(/^1 formulario nuevo desde tu última visita \(.+\)$/)).toBeVisible()
})
