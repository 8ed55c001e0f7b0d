import { readFile } from 'node:fs/promises'
import { accessible, expect, fits, I, S, seed, stored, test } from './console'

const PROJECT = 'demo-large'
const DATA = `/data/${PROJECT}/(default)`
const LETTERS = 900_000

test.beforeAll(async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`f${String(i).padStart(4, '0')}`, S(`value ${i}`)]))
  let deep: Record<string, unknown> = S('the innermost')
  for (let level = 18; level > 0; level--) deep = { mapValue: { fields: { [`m${level}`]: deep } } }
  await seed(PROJECT, {
    'wide/fields': many,
    'wide/json': many,
    'wide/deep': { deep, list: { arrayValue: { values: [{ mapValue: { fields: { n: I(1) } } }] } } },
  })
  for (let i = 0; i < 12; i++) await seed(PROJECT, { [`large/d${i}`]: { text: S('x'.repeat(LETTERS)), n: I(i) } })
})

test('a keystroke in a document of 2,000 fields takes a moment', async ({ page }) => {
  await page.goto(`${DATA}/wide/fields`)
  const field = page.getByLabel('Value of f0001')
  await field.focus()
  const times = await field.evaluate(async (element) => {
    const all: number[] = []
    for (let i = 0; i < 40; i++) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const from = performance.now()
      document.execCommand('insertText', false, 'x')
      element.getBoundingClientRect()
      all.push(performance.now() - from)
    }
    return all.toSorted((a, b) => a - b)
  })
  // It was 177 ms and more at 300 fields; the goal is 16 ms, and busy processors had 8.
  expect(times[20]).toBeLessThan(60)
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  for (const left of ['1,800', '1,600']) await page.getByRole('button', { name: `Show 200 of ${left} more` }).click()
  await page.getByLabel('Value of f0500').fill('typed')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'wide/fields'))?.fields).toMatchObject({ f0500: S('typed'), f0501: S('value 501') })
})

test('a keystroke in the JSON of 2,000 fields takes a moment', async ({ page }) => {
  await page.goto(`${DATA}/wide/json`)
  await page.getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'JSON' })
  await expect(editor).toContainText('"f0001": "value 1"')
  await editor.getByText('"value 1"', { exact: true }).click()
  const times = await editor.evaluate(async (element) => {
    /** Resolves in a task after those that the keystroke has begun. */
    const settled = () =>
      new Promise<void>((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => done()
        port2.postMessage(null)
      })
    const all: number[] = []
    for (let i = 0; i < 40; i++) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const from = performance.now()
      document.execCommand('insertText', false, 'x')
      await settled()
      await settled()
      element.getBoundingClientRect()
      all.push(performance.now() - from)
    }
    return all.toSorted((a, b) => a - b)
  })
  // The goal is 16 ms; it was 17 ms on idle processors, and three times that on busy ones.
  test.info().annotations.push({ type: 'median', description: `${times[20]} ms` })
  expect(times[20]).toBeLessThan(60)
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect(JSON.stringify((await stored(PROJECT, 'wide/json'))?.fields)).toContain('x'.repeat(40))
})

test('deep maps are opened level by level, with a path back', async ({ page }) => {
  await page.goto(`${DATA}/wide/deep`)
  for (let opened = 2; opened <= 18; opened += 2) await page.getByRole('button', { name: /^Open deep/ }).click()
  const value = page.getByLabel(/^Value of deep\.m1\..*\.m18$/)
  await expect(value).toHaveValue('the innermost')
  expect((await value.boundingBox())?.width).toBeGreaterThan(250)
  await accessible(page)
  await fits(page)
  await value.fill('typed')
  const place = page.getByRole('navigation', { name: 'Place in the document' })
  await place.getByRole('button', { name: 'm8', exact: true }).click()
  await expect(page.getByRole('button', { name: /^Open deep/ })).toContainText('typed')
  await place.getByRole('button', { name: 'Fields' }).click()
  await page.getByRole('button', { name: 'Open list[0]' }).click()
  await page.getByLabel('Value of list[0].n').fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  const saved = JSON.stringify((await stored(PROJECT, 'wide/deep'))?.fields)
  expect(saved).toContain('"m18":{"stringValue":"typed"}')
  expect(saved).toContain('"n":{"integerValue":"2"}')
})

test('a document is widened with the mouse and the keyboard, and stays so', async ({ page }) => {
  await page.goto(`${DATA}/wide/deep`)
  const pane = page.getByRole('region', { name: 'wide/deep' })
  const edge = page.getByRole('separator', { name: 'Width of the document' })
  const width = async () => (await pane.boundingBox())?.width ?? 0
  await edge.focus()
  const before = await width()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(width).toBe(before + 40)
  const box = await edge.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 4, 300)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) - 96, 300)
  await page.mouse.up()
  await expect.poll(width).toBeGreaterThan(before + 100)
  const wide = await width()
  await page.reload()
  await expect.poll(width).toBe(wide)
})

test('a list of large documents loads what it shows, and exports whole documents', async ({ page }) => {
  let bytes = 0
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  client.on('Network.dataReceived', (data) => {
    bytes += data.dataLength
  })
  await page.goto(`${DATA}/large`)
  await expect(page.getByText('12 loaded')).toBeVisible()
  await expect(page.getByRole('row', { name: 'd0' })).toContainText('xxx')
  await expect(page.getByText('Not live: the documents are large')).toBeVisible()
  expect(bytes).toBeLessThan(5 * LETTERS)
  await page.getByLabel('Select d1', { exact: true }).check()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as JSON' }).click()])
  expect((await readFile(await file.path())).length).toBeGreaterThan(LETTERS)
  // A query's rows are shortened too, and its pages continue.
  await page.goto(`${DATA}/large?q=${encodeURIComponent(JSON.stringify({ order: [{ field: 'n', direction: 'desc' }] }))}`)
  await expect(page.getByText('12 loaded')).toBeVisible()
  await expect(page.getByRole('row', { name: 'd11' })).toBeVisible()
})
