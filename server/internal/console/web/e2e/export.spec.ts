import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, I, origins, S, seed, test } from './console'

const PROJECT = 'demo-export'
const COUNT = 200_000
const BATCH = 500
const TEXT = 'x'.repeat(300)

test.beforeAll(async () => {
  test.setTimeout(300_000)
  for (let from = 0; from < COUNT; from += BATCH * 10) {
    const batches = Array.from({ length: 10 }, (_, i) => from + i * BATCH)
    await Promise.all(
      batches.map((first) =>
        seed(
          PROJECT,
          Object.fromEntries(
            Array.from({ length: BATCH }, (_, i) => [`many/d${String(first + i).padStart(6, '0')}`, { n: I(first + i), text: S(TEXT) }]),
          ),
        ),
      ),
    )
  }
})

/** Counts the lines of a file that contain a text. */
async function count(path: string, text: string): Promise<number> {
  let n = 0
  for await (const line of createInterface(createReadStream(path))) if (line.includes(text)) n++
  return n
}

test('200,000 documents are exported without being held by the page, with progress', async ({ page }) => {
  test.setTimeout(300_000)
  await page.goto(`/data/${PROJECT}/(default)/many`)
  const table = page.getByRole('region', { name: 'many', exact: true })
  await expect(table.getByRole('row', { name: 'd000000' })).toBeVisible()
  const devtools = await page.context().newCDPSession(page)
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    return (await devtools.send('Runtime.getHeapUsage')).usedSize
  }
  for (const format of ['JSON', 'CSV']) {
    const before = await heap()
    await table.getByRole('button', { name: 'Actions' }).click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: `Export as ${format}` }).click()])
    await expect(table.getByRole('status')).toHaveText(/documents (read|written)/)
    expect(file.suggestedFilename()).toBe(`many.${format.toLowerCase()}`)
    await expect(page.getByText('200,000 documents exported')).toBeVisible({ timeout: 120_000 })
    expect(await count(await file.path(), TEXT)).toBe(COUNT)
    expect((await heap()) - before, 'what the page holds of a file of 60 MB').toBeLessThan(8e6)
    await page.getByText('200,000 documents exported').waitFor({ state: 'hidden' })
  }
})

test('an export is cancelled, and the browser keeps no part of it', async ({ page }) => {
  await page.goto(`/data/${PROJECT}/(default)/many`)
  const table = page.getByRole('region', { name: 'many', exact: true })
  await expect(table.getByRole('row', { name: 'd000000' })).toBeVisible()
  await table.getByRole('button', { name: 'Actions' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as CSV' }).click()])
  // A click that waits until the button is stable can come after the end of the export, which takes some seconds.
  await table.getByRole('button', { name: 'Cancel' }).dispatchEvent('click')
  expect(await file.failure()).not.toBeNull()
  await expect(table.getByRole('button', { name: 'Cancel' })).toHaveCount(0)
})

test('a failed export is reported', async ({ page, quiet }) => {
  quiet(/400|ERR_|Failed/)
  const query = {
    order: [
      { field: 'n', direction: 'asc' },
      { field: 'text', direction: 'desc' },
    ],
  }
  await page.goto(`/data/${PROJECT}/(default)/many?q=${encodeURIComponent(JSON.stringify(query))}`)
  const table = page.getByRole('region', { name: 'many', exact: true })
  await expect(table.getByRole('alert')).toContainText('index')
  await table.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'index' })).toBeVisible()
})

test('only the page of a session can prepare an export', async () => {
  const url = `${origins().console}/api/export`
  const body = JSON.stringify({ format: 'json', query: { from: [{ collectionId: 'many' }] } })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403)
})
