import { expect, type Page, test } from '@playwright/test'

/** Records the browser's view transitions: their number, and the duration of their longest animation. */
function recordTransitions(): void {
  const snapshot = { times: 0, duration: 0 }
  Object.assign(window, { snapshot })
  const original = document.startViewTransition.bind(document)
  document.startViewTransition = (change) => {
    snapshot.times++
    const transition = original(change)
    transition.ready.then(
      () => {
        for (const { effect } of document.getAnimations()) {
          snapshot.duration = Math.max(snapshot.duration, Number(effect?.getComputedTiming().endTime ?? 0))
        }
      },
      () => undefined,
    )
    return transition
  }
}

const snapshot = 'window.snapshot'

/** Waits until the page's scripts run. Before that, a link loads a new document. */
const runs = (page: Page) => expect(page.getByRole('button', { name: /^Usar tema/ })).toBeVisible()

test.describe('P-09 from page to page', () => {
  test('fades for at most 200 ms, and not when a modal opens', async ({ page }) => {
    await page.addInitScript(recordTransitions)
    await page.goto('/programas')
    const foot = page.getByRole('navigation', { name: 'Enlaces rápidos' })
    await runs(page)
    await foot.getByRole('link', { name: 'Donar' }).hover()
    // Only a page whose chunk is loaded fades in.
    await page.waitForLoadState('networkidle')
    await foot.getByRole('link', { name: 'Donar' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Donar' })).toBeVisible()
    await expect.poll(() => page.evaluate(`${snapshot}.times`)).toBe(1)
    await expect.poll(() => page.evaluate(`${snapshot}.duration`)).toBeGreaterThan(0)
    expect(await page.evaluate(`${snapshot}.duration`)).toBeLessThanOrEqual(200)
    expect(await page.evaluate('window.scrollY')).toBe(0)
    await page.goBack()
    await expect(page.getByRole('heading', { level: 1, name: 'Programas' })).toBeVisible()
    expect(await page.evaluate(`${snapshot}.times`)).toBe(2)
    await page.getByRole('button', { name: 'Ver Detalles' }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await page.evaluate(`${snapshot}.times`)).toBe(2)
  })

  test('changes at once with reduced motion', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.addInitScript(recordTransitions)
    await page.goto('/programas')
    const foot = page.getByRole('navigation', { name: 'Enlaces rápidos' })
    await runs(page)
    await foot.getByRole('link', { name: 'Donar' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Donar' })).toBeVisible()
    expect(await page.evaluate(`${snapshot}.times`)).toBe(0)
  })
})
