import { expect, test } from '@playwright/test'

/** Keeps what the browser's view transitions looked like: how many began, and how long their longest animation takes. */
function anotarTransiciones(): void {
  const nota = { veces: 0, duracion: 0 }
  Object.assign(window, { nota })
  const original = document.startViewTransition.bind(document)
  document.startViewTransition = (cambio) => {
    nota.veces++
    const transicion = original(cambio)
    transicion.ready.then(
      () => {
        for (const { effect } of document.getAnimations()) {
          nota.duracion = Math.max(nota.duracion, Number(effect?.getComputedTiming().endTime ?? 0))
        }
      },
      () => undefined,
    )
    return transicion
  }
}

const nota = 'window.nota'

test.describe('P-09 from page to page', () => {
  test('fades for at most 200 ms, and not when a modal opens', async ({ page }) => {
    await page.addInitScript(anotarTransiciones)
    await page.goto('/programas')
    const pie = page.getByRole('navigation', { name: 'Enlaces rápidos' })
    await pie.getByRole('link', { name: 'Donar' }).hover()
    await page.waitForLoadState('load')
    await pie.getByRole('link', { name: 'Donar' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Donar' })).toBeVisible()
    await expect.poll(() => page.evaluate(`${nota}.veces`)).toBe(1)
    await expect.poll(() => page.evaluate(`${nota}.duracion`)).toBeGreaterThan(0)
    expect(await page.evaluate(`${nota}.duracion`)).toBeLessThanOrEqual(200)
    expect(await page.evaluate('window.scrollY')).toBe(0)
    await page.goBack()
    await expect(page.getByRole('heading', { level: 1, name: 'Programas' })).toBeVisible()
    expect(await page.evaluate(`${nota}.veces`)).toBe(2)
    await page.getByRole('button', { name: 'Ver Detalles' }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await page.evaluate(`${nota}.veces`)).toBe(2)
  })

  test('changes at once for who wants less motion', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.addInitScript(anotarTransiciones)
    await page.goto('/programas')
    const pie = page.getByRole('navigation', { name: 'Enlaces rápidos' })
    await pie.getByRole('link', { name: 'Donar' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Donar' })).toBeVisible()
    expect(await page.evaluate(`${nota}.veces`)).toBe(0)
  })
})
