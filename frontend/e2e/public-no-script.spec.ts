import { expect, test } from '@playwright/test'

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
})
