// Drives the built site of a production server in Chromium. An administrator signs up with the secret code and uses the
// panel. A visitor sends a form, which must appear there live. Then a provider signs in a stranger and the administrator.
// Arguments: the frontend's folder, the site's origin, the code.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [frontend, origin, code] = process.argv.slice(2)
const require = createRequire(path.join(frontend, 'package.json'))
const { chromium } = (await import(pathToFileURL(require.resolve('playwright-core')))).default

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const context = await browser.newContext({ locale: 'es-DO', ignoreHTTPSErrors: true })
  const admin = await context.newPage()
  admin.setDefaultTimeout(60_000)
  const problems = []
  admin.on('pageerror', (error) => problems.push(String(error)))
  await admin.goto(`${origin}/LogIn`)
  await admin.getByRole('tab', { name: 'Crear cuenta' }).click()
  await admin.getByLabel('Código secreto').fill('demo-codigo-fundacion')
  await admin.getByRole('button', { name: 'Verificar código' }).click()
  await admin.getByRole('alert').first().waitFor()
  await admin.getByLabel('Código secreto').fill(code)
  await admin.getByRole('button', { name: 'Verificar código' }).click()
  await admin.getByText('Código verificado.').waitFor()
  await admin.getByLabel('Nombre').fill('Ana')
  await admin.getByLabel('Apellido').fill('Pérez')
  await admin.getByLabel('Correo electrónico').fill('ana@example.org')
  await admin.getByLabel('Contraseña').fill('secreta1')
  await admin.getByRole('button', { name: 'Crear cuenta' }).last().click()
  await admin.waitForURL('**/AdminView')
  await admin.getByRole('heading', { level: 1, name: 'Panel Administrativo' }).waitFor()
  await admin.getByRole('tab', { name: 'Boletín' }).click()
  await admin.getByRole('tabpanel').getByText(/^(Total|Aún no hay)/).first().waitFor({ timeout: 60_000 }).catch(async (error) => {
    throw new Error(`${error.message}\nThe panel shows: ${await admin.getByRole('main').innerText()}\n${problems.join('\n')}`)
  })

  const visitor = await (await browser.newContext({ locale: 'es-DO', ignoreHTTPSErrors: true })).newPage()
  visitor.setDefaultTimeout(60_000)
  visitor.on('pageerror', (error) => problems.push(String(error)))
  await visitor.goto(origin)
  const letter = visitor.locator('form').filter({ has: visitor.getByRole('button', { name: /Suscrib/ }) }).first()
  await letter.getByRole('textbox').first().fill('visita@example.org')
  await letter.getByRole('button', { name: /Suscrib/ }).click()
  await admin.getByText('visita@example.org').first().waitFor()

  // With a provider: a stranger has no right, and the administrator's proved address is that of her account.
  for (const [what, find] of [
    ['a stranger', (page) => page.getByText('Tu cuenta no tiene acceso de administración.')],
    ['the administrator', (page) => page.getByRole('tab', { name: 'Eventos' })],
  ]) {
    const page = await (await browser.newContext({ locale: 'es-DO', ignoreHTTPSErrors: true })).newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(`${origin}/LogIn`)
    await page.getByRole('button', { name: 'Continuar con Google' }).click()
    await find(page).waitFor().catch(async (error) => {
      throw new Error(`${what}: ${error.message}\nThe page shows: ${await page.getByRole('main').innerText()}`)
    })
    assert.equal(new URL(page.url()).search, '', `${what}: the address still has the provider's answer`)
  }
  assert.deepEqual(problems, [])
} finally {
  await browser.close()
}
