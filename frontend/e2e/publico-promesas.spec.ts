import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { PUBLICAS } from '../src/meta'
import { borrar, cambiarReglas } from './admin-mundo'
import { pararReloj, sembrar, vaciarDatos } from './publico-mundo'

// What the pages promise beyond what each of them shows: sizes, turns, refusals, changes while one looks.

test.beforeEach(async ({ page }) => {
  await vaciarDatos()
  await pararReloj(page)
})

/** What is too small to be hit: 24 px, or 44 for what one presses and fills in; words inside a sentence are as they are. */
async function pequenos(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dentroDeFrase = (nodo: Element) =>
      getComputedStyle(nodo).display === 'inline' && nodo.parentElement?.textContent.trim() !== nodo.textContent.trim()
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((nodo) => nodo.checkVisibility({ visibilityProperty: true }) && !nodo.closest('[aria-hidden=true]') && !dentroDeFrase(nodo))
      .filter((nodo) => {
        const { width, height, right } = nodo.getBoundingClientRect()
        // The dots of the gallery have arrows beside them that do the same.
        const menor = nodo.matches('a, [aria-label^="Ir a la imagen"]') ? 24 : 44
        return right > 0 && width > 1 && (width < 24 || height < menor)
      })
      .map((nodo) => nodo.outerHTML.slice(0, 120))
  })
}

test('S-112 what is pressed by a finger is large enough', async ({ page }) => {
  await sembrar('uno', '2027-09-18', '19:30')
  await page.setViewportSize({ width: 360, height: 740 })
  for (const ruta of [...PUBLICAS, '/LogIn', '/no-existe']) {
    await page.goto(ruta)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    expect(await pequenos(page), ruta).toEqual([])
  }
})

test('S-002 every name that is read out is Spanish', async ({ page }) => {
  for (const ruta of ['/', '/calendario', '/contacto', '/LogIn']) {
    await page.goto(ruta)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    const nombres = await page
      .locator('button, a, label, input, textarea, [aria-label], [title], img')
      .evaluateAll((todos) =>
        todos.flatMap((nodo) => [
          nodo.textContent,
          ...['aria-label', 'title', 'placeholder', 'alt'].map((n) => nodo.getAttribute(n) ?? ''),
        ]),
      )
    expect(nombres.join('\n'), ruta).not.toMatch(/\b(?:Submit|Loading|Close|Next|Previous|Menu|Search|Send|Email address)\b/i)
  }
})

test('S-012 the gallery turns every five seconds, no sooner and no later', async ({ page }) => {
  await page.goto('/')
  const turnos = await page.getByRole('region', { name: 'Galería principal' }).evaluate(
    (galeria) =>
      new Promise<number[]>((listo) => {
        const momentos: number[] = []
        const actual = () => galeria.querySelector('[aria-current]')?.getAttribute('aria-label')
        let antes = actual()
        const vigia = new MutationObserver(() => {
          if (actual() === antes || actual() === undefined) return
          antes = actual()
          momentos.push(performance.now())
          if (momentos.length < 3) return
          vigia.disconnect()
          listo(momentos.slice(1).map((momento, i) => momento - (momentos[i] ?? 0)))
        })
        vigia.observe(galeria, { attributes: true, subtree: true, childList: true })
      }),
  )
  for (const turno of turnos) {
    expect(turno).toBeGreaterThan(4500)
    expect(turno).toBeLessThan(6500)
  }
})

test('F-109 the strip takes thirty seconds and waits for the pointer and for the focus', async ({ page }) => {
  await page.goto('/')
  const cinta = page.getByRole('region', { name: 'Nuestra Inspiración' })
  const pasos = () =>
    cinta.evaluate((nodo) =>
      nodo.getAnimations({ subtree: true }).map(({ effect, playState }) => [effect?.getComputedTiming().duration, playState]),
    )
  await cinta.scrollIntoViewIfNeeded()
  await page.mouse.move(1, 1)
  await expect.poll(pasos).toEqual([[30_000, 'running']])
  // What moves can't be waited for until it stands: the pointer goes where the strip is.
  const { x = 0, y = 0, height = 0 } = (await cinta.getByRole('img').first().boundingBox()) ?? {}
  await page.mouse.move(Math.max(x, 200), y + height / 2)
  await expect.poll(pasos).toEqual([[30_000, 'paused']])
})

test('F-107 F-238 a list that the server refuses is shown as empty', async ({ page }) => {
  await sembrar('uno', '2027-09-18', '19:30')
  const reglas = await readFile(join(import.meta.dirname, '../../firestore.rules'), 'utf8')
  await cambiarReglas('service cloud.firestore { match /databases/{d}/documents { match /{todo=**} { allow read: if false; } } }')
  try {
    await page.goto('/')
    await expect(page.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    await page.goto('/calendario')
    await expect(page.getByText('No hay eventos próximos en este rango.')).toBeVisible()
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
  } finally {
    await cambiarReglas(reglas)
  }
})

test('F-243 F-334 the open calendar follows what is created and deleted, in the months it is turned to', async ({ page }) => {
  await page.goto('/calendario')
  const dia = (nombre: RegExp) => page.getByRole('gridcell').getByRole('button', { name: nombre })
  await expect(dia(/^sábado 18 de septiembre de 2027$/)).toBeVisible()
  await sembrar('uno', '2027-09-18', '19:30')
  await expect(dia(/18 de septiembre de 2027, 1 evento/)).toBeVisible()
  await borrar('MusicEvent/uno')
  await expect(dia(/^sábado 18 de septiembre de 2027$/)).toBeVisible()
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await expect(page.getByRole('heading', { name: 'octubre de 2027' })).toBeVisible()
  await sembrar('dos', '2027-10-20', '19:30')
  await expect(dia(/20 de octubre de 2027, 1 evento/)).toBeVisible()
})

test('F-602 P-13 a refusal for haste keeps the text, and the next try begins clean', async ({ page }) => {
  const casos: [string, string, Record<string, string>, string][] = [
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
  const respuesta = { status: 429, json: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x' } } }
  for (const [ruta, boton, campos, texto] of casos) {
    let soltar = () => undefined as void
    await page.unrouteAll()
    await page.route('**/v1/projects/**:commit*', (peticion) => peticion.fulfill(respuesta))
    await page.goto(ruta)
    const principal = page.getByRole('main')
    for (const [etiqueta, valor] of Object.entries(campos)) await principal.getByLabel(etiqueta, { exact: true }).fill(valor)
    await principal.getByRole('button', { name: boton }).click()
    await expect(principal.getByRole('alert')).toHaveText(texto)
    for (const [etiqueta, valor] of Object.entries(campos)) await expect(principal.getByLabel(etiqueta, { exact: true })).toHaveValue(valor)
    const espera = new Promise<void>((listo) => {
      soltar = listo
    })
    await page.unrouteAll()
    await page.route('**/v1/projects/**:commit*', async (peticion) => {
      await espera
      await peticion.continue()
    })
    await principal.getByRole('button', { name: boton }).click()
    await expect(principal.getByRole('alert')).toHaveCount(0)
    await expect(principal.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
    soltar()
    await expect(page.getByRole('status').getByText(/¡Gracias!/)).toBeVisible()
  }
})

test('S-116 canonical addresses and the sitemap name the same pages', async ({ request }) => {
  const mapa = [...(await (await request.get('/sitemap.xml')).text()).matchAll(/<loc>([^<]+)<\/loc>/g)]
    .map(([, url]) => url)
    .filter((url) => !url?.includes('/eventos/'))
  const canonicas = await Promise.all(
    PUBLICAS.map(async (ruta) => /<link rel="canonical" href="([^"]+)"/.exec(await (await request.get(ruta)).text())?.[1]),
  )
  expect(mapa).toEqual(canonicas)
  expect(canonicas.map((url) => new URL(url ?? '').pathname)).toEqual([...PUBLICAS])
})

test.describe('before the page is alive', () => {
  test.use({ javaScriptEnabled: false })

  test('F-810 no form can be sent, and none by its address', async ({ page }) => {
    for (const ruta of ['/', '/contacto', '/voluntarios', '/instrumentos']) {
      await page.goto(ruta)
      const formulario = page.getByRole('main').locator('form')
      await expect(formulario).toHaveAttribute('method', 'post')
      await expect(formulario.locator('[type=submit]')).toBeDisabled()
    }
    await page.goto('/LogIn')
    await expect(page.locator('form')).toHaveCount(0)
  })
})
