import { accessible, expect, fits, I, origins, seed, test } from './console'
import { link } from './server'

const PROJECT = 'demo-states'
const at = (page: string) => `/${page}/${PROJECT}/(default)`
const DEVELOPMENT = ['data', 'users', 'requests', 'rules', 'now', 'codes', 'indexes', 'lab', 'audit']
const PRODUCTION = ['data', 'users', 'denials', 'rules', 'now', 'indexes', 'safety', 'audit']

test.beforeAll(() => seed(PROJECT, { 'things/one': { n: I(1) } }))

test('every page of development is accessible and fits, in Spanish too', async ({ page }) => {
  for (const name of DEVELOPMENT) {
    await page.goto(at(name))
    await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await accessible(page)
    await fits(page)
  }
  await page.goto(at('data'))
  await page.getByLabel('Language').selectOption('es')
  for (const name of DEVELOPMENT) {
    await page.goto(at(name))
    await expect(page.locator('html')).toHaveAttribute('lang', 'es')
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await fits(page)
  }
})

test('an empty database and an unknown page say what to do, and groups like the collections are folded', async ({ page }) => {
  await page.goto('/data/demo-nothing/(default)')
  await page.getByRole('button', { name: 'Create the first one' }).click()
  await expect(page.getByRole('dialog').getByLabel('Collection id')).toBeVisible()
  await page.goto('/nowhere')
  await page.getByRole('link', { name: 'Go to the data' }).click()
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await page.goto(at('data'))
  const group = page.locator('.groups').getByRole('link', { name: 'things' })
  await expect(page.locator('.groups')).toBeVisible()
  await expect(group).toHaveCount(0)
  await page.locator('.groups > summary').click()
  await group.click()
  await expect(page).toHaveURL(/things\?group=1/)
  await expect(group).toBeVisible()
})

test('every page of production is accessible and fits', async ({ page }) => {
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  for (const name of PRODUCTION) {
    await page.goto(`${origins().served}/${name}/console-served/(default)`)
    await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await accessible(page)
    await fits(page)
  }
})

test('denials of production show the lines of the rules', async ({ page }) => {
  const denial = { time: '2030-01-01T00:00:00Z', method: 'get', path: 'notes/*', lines: [5], uid: null }
  await page.route('**/api/denials?*', (route) =>
    route.fulfill({ json: { denials: [denial, { ...denial, lines: [], uid: 'ana' }, denial] } }),
  )
  await page.goto(await link(false))
  await page.goto(`${origins().served}/denials/console-served/(default)`)
  await expect(page.getByRole('row', { name: 'notes/* anonymous' })).toContainText('L5 allow read: if resource.data.open == true;')
  // Equal denials are one row.
  await expect(page.getByRole('row', { name: 'notes/* anonymous' }).getByRole('cell').last()).toContainText('2')
  await expect(page.getByRole('row', { name: 'notes/* ana' })).toContainText('no rule for this path')
  await accessible(page)
  await fits(page)
})

test('a page whose code was not loaded works once the server is back', async ({ page, quiet }) => {
  quiet(/ERR_|Failed to fetch/)
  await page.goto(at('data'))
  await expect(page.getByRole('link', { name: /^things \d/ })).toBeVisible()
  await page.route('**/assets/indexes-page*', (route) => route.abort())
  await page.getByRole('link', { name: 'Indexes' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.unroute('**/assets/indexes-page*')
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByRole('link', { name: 'Indexes' }).click()
  await expect(page.locator('main').getByRole('heading', { name: 'Indexes' }).first()).toBeVisible()
})

test('a page shows failed requests and can repeat them', async ({ page, quiet }) => {
  quiet(/500|403/)
  const failing = {
    users: '**/accounts:batchGet*',
    indexes: '**/api/indexes*',
    audit: '**/api/audit*',
    now: '**/api/now',
    rules: '**/api/rules?*',
  }
  for (const [name, url] of Object.entries(failing)) {
    await page.route(url, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 500, status: 'INTERNAL', message: 'It broke on purpose.' } } }),
    )
    await page.goto(at(name))
    const alert = page.getByRole('alert').filter({ hasText: 'It broke on purpose.' })
    await expect(alert).toBeVisible()
    await accessible(page)
    await page.unroute(url)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect(alert).toHaveCount(0)
  }
  await page.route('**/api/indexes*', (route) =>
    route.fulfill({ status: 403, json: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'Not for this session.' } } }),
  )
  await page.goto(at('indexes'))
  await expect(page.getByRole('alert')).toContainText('This session may not do that')
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
})

test('an unreachable server is reported, and typed values are kept', async ({ page, context, quiet }) => {
  // The SDK tests the connection with an image from Google. The content security policy blocks it before anything is sent.
  quiet(/ERR_|Failed|WebChannel|transport|www\.google\.com\/images\/cleardot/)
  const elsewhere: (string | undefined)[] = []
  page.on('requestfinished', (request) => {
    if (!request.url().startsWith(origins().console)) elsewhere.push(request.url())
  })
  page.on('requestfailed', (request) => {
    if (!request.url().startsWith(origins().console)) elsewhere.push(request.failure()?.errorText)
  })
  await page.goto(`${at('data')}/things/one`)
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  await page.getByLabel('Value of n').fill('2')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('The server does not answer.')
  await expect(page.getByLabel('Value of n')).toHaveValue('2')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect(elsewhere.filter((how) => how !== 'csp')).toEqual([])
})

test('a list is live whose only document another listener has received before', async ({ page }) => {
  await seed(PROJECT, { 'alone/one': { n: I(1) } })
  // The documents of the list are held back until the listener of the document has reported.
  let list = () => {}
  const listed = new Promise<void>((resolve) => {
    list = resolve
  })
  await page.route('**/api/rows?*collection=alone*', async (route) => {
    await listed
    await route.continue()
  })
  // The pane loads the document, and loads it again at the listener's first report.
  let loads = 0
  const listened = page.waitForRequest((request) => request.url().endsWith('documents:batchGet') && ++loads === 2)
  await page.goto(`${at('data')}/alone/one`)
  await listened
  list()
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
})

test('a list shows a lost connection and, after it, the changes made meanwhile', async ({ page, context, quiet }) => {
  quiet(/ERR_|Failed|WebChannel|transport|www\.google\.com\/images\/cleardot/)
  await seed(PROJECT, { 'interrupted/one': { n: I(1) }, 'interrupted/two': { n: I(1) } })
  await page.goto(`${at('data')}/interrupted`)
  const live = page.getByText('Live', { exact: true })
  await expect(live.locator('.on')).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText('Connecting…', { exact: true })).toBeVisible()
  await seed(PROJECT, { 'interrupted/two': { n: I(4711) } })
  await context.setOffline(false)
  await expect(page.getByRole('row', { name: 'two' })).toContainText('4711')
  await expect(live.locator('.on')).toBeVisible()
})

test('the import of a large file shows its progress', async ({ page }) => {
  const all = Array.from({ length: 2500 }, (_, i) => ({ id: `r${i}`, n: i }))
  const csv = ['__id__,n', ...all.map(({ id, n }) => `${id},${n}`)].join('\n')
  await page.goto(`${at('data')}/things`)
  await page.getByRole('region', { name: 'things', exact: true }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  await page.getByLabel('File').setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('progressbar')).toBeVisible()
  await expect(page.getByText('2500 documents imported')).toBeVisible()
  await expect(page.getByRole('link', { name: /^things 2,?501/ })).toBeVisible()
})

test('the lag of each node is shown, and so is a 503 in plain text', async ({ page, quiet }) => {
  quiet(/503/)
  const sample = (lags: number[]) => ({
    time: '2030-01-01T00:00:00Z',
    ...Object.fromEntries(
      ['commits', 'writes', 'reads', 'queries', 'denials', 'signIns', 'listeners', 'heap', 'goroutines'].map((name) => [name, 1]),
    ),
    latency: { p50: 1, p95: 2, p99: 3 },
    memory: 1.5 * 2 ** 20,
    disk: 2048,
    diskFree: 0,
    lag: 2,
    nodes: ['madrid', 'oviedo', 'sevilla'].map((name, i) => ({ name, lag: lags[i] ?? 0 })),
  })
  const counts = { reads: 1200, writes: 3, deletes: 1, ttlDeletes: 1, sentBytes: 2048, cost: 0.000726 }
  const usage = {
    since: '2030-01-01T00:00:00Z',
    total: counts,
    top: [{ pattern: 'users/*/orders', ...counts, cost: 12.345 }],
    prices: { date: '2026-11-01', location: 'nam5', currency: 'USD' },
  }
  const now = {
    usage,
    started: '2030-01-01T00:00:00Z',
    interval: 10,
    samples: [sample([1, 0, 9]), sample([0, 0, 4])],
    current: sample([0, 1, 3]),
  }
  await page.route('**/api/now', (route) => route.fulfill({ json: now }))
  await page.goto(at('now'))
  const nodes = page.getByRole('figure', { name: 'Nodes behind the log' })
  for (const text of ['madrid: 0 commits', 'oviedo: 1 commit', 'sevilla: 3 commits', 'highest 9 commits'])
    await expect(nodes.getByText(text)).toBeVisible()
  const orders = page.getByRole('row', { name: 'users/*/orders' })
  for (const text of ['1,200', '3', '2', '2 KiB', '12.35'])
    await expect(orders.getByRole('cell', { name: text, exact: true })).toBeVisible()
  await expect(page.getByRole('cell', { name: '0.00073', exact: true })).toBeVisible()
  await expect(page.getByText('Costs by the prices of 2026-11-01, nam5.')).toBeVisible()
  await accessible(page)
  await fits(page)
  await page.getByLabel('Language').selectOption('es')
  await expect(page.getByRole('figure', { name: 'Memoria' })).toContainText('1,5 MiB')
  const text = 'The node that leads, oviedo, runs without a console.'
  await page.route('**/api/now', (route) => route.fulfill({ status: 503, contentType: 'text/plain; charset=utf-8', body: `${text}\n` }))
  await page.reload()
  await expect(page.getByRole('alert')).toContainText(text)
})

test('a deletion that fails halfway can be undone', async ({ page }) => {
  const lines = (...all: object[]) => ({
    contentType: 'application/x-ndjson',
    body: all.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
  const error = { code: 503, status: 'UNAVAILABLE', message: 'It broke on purpose.' }
  await page.route('**/api/delete', (route) =>
    route.fulfill(lines({ deleted: 500, total: 900 }, { deleted: 500, total: 900, undo: 'back' }, { error })),
  )
  await page.route('**/api/undo', async (route) => {
    expect(route.request().postDataJSON()).toMatchObject({ undo: 'back' })
    await route.fulfill(lines({ restored: 500, total: 500 }, { done: true, restored: 500, skipped: 0 }))
  })
  await page.goto(`${at('data')}/things/one`)
  await page.getByRole('region', { name: 'things/one' }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete document' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByRole('alert')).toContainText('It broke on purpose.')
  await page.keyboard.press('Escape')
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('500 documents restored')).toBeVisible()
})
