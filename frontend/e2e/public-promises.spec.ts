import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { META } from '../src/meta'
import { PUBLIC_PATHS } from '../src/paths'
import { erase, changeRules } from './admin-world'
import { stopClock, seed, clearData } from './public-world'

// Properties of all pages: sizes, repeated actions, refusals, changes while the page is open.

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

/** Elements too small to be hit: below 24 px, or 44 px for buttons and fields. Links inside a sentence are exempt. */
async function small(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const midSentence = (node: Element) =>
      getComputedStyle(node).display === 'inline' && node.parentElement?.textContent.trim() !== node.textContent.trim()
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('[aria-hidden=true]') && !midSentence(node))
      .filter((node) => {
        const { width, height, right } = node.getBoundingClientRect()
        // The arrows beside the gallery's dots do the same.
        const smaller = node.matches('a, [aria-label^="Ir a la imagen"]') ? 24 : 44
        return right > 0 && width > 1 && (width < 24 || height < smaller)
      })
      .map((node) => node.outerHTML.slice(0, 120))
  })
}

test('S-112 controls are large enough for a finger', async ({ page }) => {
  await seed('uno', '2027-09-18', '19:30')
  await page.setViewportSize({ width: 360, height: 740 })
  for (const route of [...PUBLIC_PATHS, '/LogIn', '/no-existe']) {
    await page.goto(route)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    expect(await small(page), route).toEqual([])
  }
})

test('S-002 every name that is read out is Spanish', async ({ page }) => {
  for (const route of ['/', '/calendario', '/contacto', '/LogIn']) {
    await page.goto(route)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    const names = await page
      .locator('button, a, label, input, textarea, [aria-label], [title], img')
      .evaluateAll((all) =>
        all.flatMap((node) => [node.textContent, ...['aria-label', 'title', 'placeholder', 'alt'].map((n) => node.getAttribute(n) ?? '')]),
      )
    expect(names.join('\n'), route).not.toMatch(/\b(?:Submit|Loading|Close|Next|Previous|Menu|Search|Send|Email address)\b/i)
  }
})

test('S-012 the gallery turns about every five seconds', async ({ page }) => {
  await page.goto('/')
  const turns = await page.getByRole('region', { name: 'Galería principal' }).evaluate(
    (gallery) =>
      new Promise<number[]>((ready) => {
        const moments: number[] = []
        const current = () => gallery.querySelector('[aria-current]')?.getAttribute('aria-label')
        let before = current()
        const watcher = new MutationObserver(() => {
          if (current() === before || current() === undefined) return
          before = current()
          moments.push(performance.now())
          if (moments.length < 3) return
          watcher.disconnect()
          ready(moments.slice(1).map((moment, i) => moment - (moments[i] ?? 0)))
        })
        watcher.observe(gallery, { attributes: true, subtree: true, childList: true })
      }),
  )
  for (const turn of turns) {
    // A turn may be late on a busy machine, and the next one is then early.
    expect(turn).toBeGreaterThan(3500)
    expect(turn).toBeLessThan(9000)
  }
})

test('F-109 the strip takes thirty seconds and pauses under the pointer and the focus', async ({ page }) => {
  await page.goto('/')
  const strip = page.getByRole('region', { name: 'Nuestra Inspiración' })
  const steps = () =>
    strip.evaluate((node) =>
      node.getAnimations({ subtree: true }).map(({ effect, playState }) => [effect?.getComputedTiming().duration, playState]),
    )
  await strip.scrollIntoViewIfNeeded()
  await page.mouse.move(1, 1)
  await expect.poll(steps).toEqual([[30_000, 'running']])
  // The strip never stops moving, and Playwright would wait for that: the pointer moves to the coordinates.
  const { x = 0, y = 0, height = 0 } = (await strip.getByRole('img').first().boundingBox()) ?? {}
  await page.mouse.move(Math.max(x, 200), y + height / 2)
  await expect.poll(steps).toEqual([[30_000, 'paused']])
})

test('F-107 F-238 a refused list is shown as empty', async ({ page }) => {
  await seed('uno', '2027-09-18', '19:30')
  const rules = await readFile(join(import.meta.dirname, '../../firestore.rules'), 'utf8')
  await changeRules('service cloud.firestore { match /databases/{d}/documents { match /{todo=**} { allow read: if false; } } }')
  try {
    await page.goto('/')
    await expect(page.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    await page.goto('/calendario')
    await expect(page.getByText('No hay eventos próximos en este rango.')).toBeVisible()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
  } finally {
    await changeRules(rules)
  }
})

test('F-243 F-334 the open calendar shows created and deleted events in every visited month', async ({ page }) => {
  await page.goto('/calendario')
  const day = (name: RegExp) => page.getByRole('gridcell').getByRole('button', { name: name })
  await expect(day(/^sábado 18 de septiembre de 2027$/)).toBeVisible()
  await seed('uno', '2027-09-18', '19:30')
  await expect(day(/18 de septiembre de 2027, 1 evento/)).toBeVisible()
  await erase('MusicEvent/uno')
  await expect(day(/^sábado 18 de septiembre de 2027$/)).toBeVisible()
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await expect(page.getByRole('heading', { name: 'octubre de 2027' })).toBeVisible()
  await seed('dos', '2027-10-20', '19:30')
  await expect(day(/20 de octubre de 2027, 1 evento/)).toBeVisible()
})

test('F-602 P-13 a form refused as too fast keeps its text, and the next attempt works', async ({ page }) => {
  const cases: [string, string, Record<string, string>, string][] = [
    [
      '/voluntarios',
      'Enviar solicitud',
      { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Teléfono: '809' },
      'No pudimos enviar tu solicitud en este momento. Intenta nuevamente.',
    ],
    [
      '/instrumentos',
      'Enviar solicitud',
      { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Mensaje: 'Hola' },
      'No pudimos enviar tu solicitud. Intenta de nuevo.',
    ],
    [
      '/contacto',
      'Enviar mensaje',
      { Nombre: 'Ana', 'Correo electrónico': 'a@x.do', Asunto: 'A', Mensaje: 'Hola' },
      'No pudimos enviar tu mensaje. Intenta de nuevo en unos minutos.',
    ],
  ]
  const answer = { status: 429, json: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x' } } }
  for (const [route, buttonClasses, fields, text] of cases) {
    let release = () => undefined as void
    await page.unrouteAll()
    await page.route('**/v1/projects/**:commit*', (sent) => sent.fulfill(answer))
    await page.goto(route)
    const main = page.getByRole('main')
    for (const [label, value] of Object.entries(fields)) await main.getByLabel(label, { exact: true }).fill(value)
    await main.getByRole('button', { name: buttonClasses }).click()
    await expect(main.getByRole('alert')).toHaveText(text)
    for (const [label, value] of Object.entries(fields)) await expect(main.getByLabel(label, { exact: true })).toHaveValue(value)
    const pause = new Promise<void>((ready) => {
      release = ready
    })
    await page.unrouteAll()
    await page.route('**/v1/projects/**:commit*', async (sent) => {
      await pause
      await sent.continue()
    })
    await main.getByRole('button', { name: buttonClasses }).click()
    await expect(main.getByRole('alert')).toHaveCount(0)
    await expect(main.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
    release()
    await expect(page.getByRole('status').getByText(/¡Gracias!/)).toBeVisible()
  }
})

test('S-116 canonical addresses and the sitemap name the same pages', async ({ request }) => {
  const mapPanel = [...(await (await request.get('/sitemap.xml')).text()).matchAll(/<loc>([^<]+)<\/loc>/g)]
    .map(([, url]) => url)
    .filter((url) => !url?.includes('/eventos/'))
  const canonicals = await Promise.all(
    PUBLIC_PATHS.map(async (route) => /<link rel="canonical" href="([^"]+)"/.exec(await (await request.get(route)).text())?.[1]),
  )
  expect(mapPanel).toEqual(canonicals.filter((_, i) => META[PUBLIC_PATHS[i] ?? '/'].index))
  expect(canonicals.map((url) => new URL(url ?? '').pathname)).toEqual([...PUBLIC_PATHS])
})

test.describe('before hydration', () => {
  test.use({ javaScriptEnabled: false })

  test('F-810 no form can be sent without scripts, or by its address', async ({ page }) => {
    for (const route of ['/', '/contacto', '/voluntarios', '/instrumentos', '/LogIn']) {
      await page.goto(route)
      const form = page.getByRole('main').locator('form')
      await expect(form).toHaveAttribute('method', 'post')
      await expect(form.locator('[type=submit]')).toBeDisabled()
    }
  })
})
