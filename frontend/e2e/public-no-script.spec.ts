import { expect, test } from '@playwright/test'
import { equipo } from '../src/content/equipo'
import { impacto } from '../src/content/impacto'
import { programas } from '../src/content/programas'

test.describe('before any script runs', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } })

  test('P-08 hydration does not move a prerendered page', async ({ page }) => {
    await page.goto('/')
    const gallery = await page.getByRole('region', { name: 'Galería principal' }).boundingBox()
    expect(gallery?.height).toBeGreaterThan(200)
    expect(gallery?.height).toBeLessThan(400)
    await page.goto('/historia')
    await expect(page.getByText('Empezamos con tres atriles')).toHaveCSS('color', 'rgb(255, 244, 223)')
    await page.goto('/ensambles')
    await expect(page.locator('main img:not(.cabecera-arte)').first()).toHaveCSS('border-top-width', '3px')
  })

  test('P-08 programs, the team and the impact are read without scripts', async ({ page }) => {
    for (const program of programas.list) {
      await page.goto(`/programas/${program.id}`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(program.title)
      for (const { name, text } of program.details) {
        await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
        await expect(page.getByText(text)).toBeVisible()
      }
    }
    await page.goto('/impacto')
    for (const { name, text } of impacto.counts.list) {
      await expect(page.getByText(name, { exact: true })).toBeVisible()
      await expect(page.getByText(text)).toBeVisible()
    }
    await page.goto('/equipo')
    for (const { role } of equipo.directors.list) await expect(page.getByText(role, { exact: true })).toBeVisible()
  })
})
