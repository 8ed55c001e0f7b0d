import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { get } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page, test } from '@playwright/test'
import { CLAVE } from '../e2e/server'
import { freePorts } from '../../../../test/kit/node/ports.mjs'
import { ready } from '../../../../test/kit/node/programs.mjs'

const PROJECT = 'console-nodes'
const RULES = `rules_version = '2';
service cloud.firestore { match /databases/{d}/documents { match /open/{id} { allow read, write: if true; } } }
`

/** A node: the folder of its processes, and the addresses for clients and of its console. */
type Node = { child: ChildProcess; data: string; clients: string; console: string }

let folder = ''
const nodes: Node[] = []

/** Starts a node of `clave serve`. The first one leads. */
async function startNode(i: number): Promise<Node> {
  const [port = 0, ui = 0] = await freePorts(2)
  const clients = `http://127.0.0.1:${port}`
  const data = join(folder, `data-${i}`)
  const args = [
    'serve',
    '--project',
    PROJECT,
    '--port',
    String(port),
    '--public-url',
    clients,
    '--console',
    `127.0.0.1:${ui}`,
    '--data',
    data,
  ]
  const child = spawn(CLAVE, args, { cwd: folder, env: process.env, stdio: ['ignore', 'pipe', 'pipe'] })
  nodes.push({ child, data, clients, console: `http://127.0.0.1:${ui}` })
  await ready(child, i === 0 ? 'Clave ready' : 'Follower: ')
  return nodes[i] ?? Promise.reject(new Error('no node'))
}

test.skip(
  !process.env['CLAVE_STORE'],
  'CLAVE_STORE names no PostgreSQL: go test -run TestConsoleOfNodes ./server/test/e2e/nodes starts one',
)

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clave-nodes-'))
  await writeFile(join(folder, 'firestore.rules'), RULES)
  await writeFile(join(folder, 'firebase.json'), JSON.stringify({ firestore: { rules: 'firestore.rules' } }))
  for (const i of [0, 1, 2]) await startNode(i)
})

test.afterAll(async () => {
  for (const { child } of nodes.toReversed()) {
    if (child.exitCode !== null) continue
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  if (folder) await rm(folder, { recursive: true })
})

const nodeAt = (i: number): Node => {
  const node = nodes[i]
  if (!node) throw new Error(`there is no node ${i}`)
  return node
}

/** The address of a document at a node. */
const documentAt = (i: number, path: string) => `${nodeAt(i).clients}/v1/projects/${PROJECT}/databases/(default)/documents/${path}`

/** Writes a document at a node without credentials. */
async function write(i: number, path: string, text: string): Promise<void> {
  const body = JSON.stringify({ fields: { text: { stringValue: text } } })
  const response = await fetch(documentAt(i, path), { method: 'PATCH', headers: { 'content-type': 'application/json' }, body })
  if (!response.ok) throw new Error(await response.text())
}

/** Prints a link to the console of a node. */
async function linkAt(i: number, writes: boolean): Promise<string> {
  const { stdout } = await promisify(execFile)(CLAVE, ['console', '--data', nodeAt(i).data, `--write=${writes}`], { cwd: folder })
  return stdout.trim()
}

/** Opens the console of a node, by default the leader's. */
async function open(page: Page, writes: boolean, i = 0): Promise<void> {
  await page.goto(await linkAt(i, writes))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
}

const at = (page: string) => `${nodeAt(0).console}/${page}/${PROJECT}/(default)`

test('the console shows live what clients write at any node, and its writes are read at every node', async ({ page }) => {
  await write(1, 'open/violin', 'written at the second node')
  await open(page, true)
  await page.goto(`${at('data')}/open`)
  await expect(page.getByRole('row', { name: 'violin' })).toContainText('written at the second node')
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  await write(2, 'open/cello', 'written at the third node')
  await expect(page.getByRole('row', { name: 'cello' })).toContainText('written at the third node')
  await write(1, 'open/violin', 'changed at the second node')
  await expect(page.getByRole('row', { name: 'violin' })).toContainText('changed at the second node')
  await page.getByRole('row', { name: 'violin' }).getByText('violin', { exact: true }).click()
  await page.getByLabel('Value of text').fill('changed by the console')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  for (const i of [0, 1, 2])
    expect(await (await fetch(documentAt(i, 'open/violin'))).text(), `at node ${i}`).toContain('changed by the console')
})

test('an export contains the documents written at all nodes', async ({ page }) => {
  await write(2, 'open/exported', 'at the third node')
  await open(page, false)
  await page.goto(`${at('data')}/open`)
  const table = page.getByRole('region', { name: 'open', exact: true })
  await table.getByRole('button', { name: 'Actions' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as CSV' }).click()])
  const text = await import('node:fs/promises').then(async (fs) => fs.readFile(await file.path(), 'utf8'))
  expect(text).toContain('exported,at the third node')
})

test('Now shows the three nodes', async ({ page }) => {
  await open(page, false)
  await page.goto(at('now'))
  const figure = page.getByRole('figure', { name: 'Nodes behind the log' })
  await expect(figure.getByText(/: \d+ commits?$/)).toHaveCount(3)
})

test('a read-only session changes nothing', async ({ page }) => {
  await write(1, 'open/kept', 'as it was')
  await open(page, false)
  await page.goto(`${at('data')}/open/kept`)
  await expect(page.getByLabel('Value of text')).toHaveValue('as it was')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  const status = await page.evaluate(async (project) => {
    const { csrf }: { csrf: string } = await (await fetch('/api/session')).json()
    const name = `projects/${project}/databases/(default)/documents/open/kept`
    const headers = { 'content-type': 'application/json', 'X-Clave-CSRF': csrf }
    const body = JSON.stringify({ writes: [{ delete: name }] })
    return (await fetch(`/v1/projects/${project}/databases/(default)/documents:commit`, { method: 'POST', headers, body })).status
  }, PROJECT)
  expect(status).toBe(403)
  expect(await (await fetch(documentAt(2, 'open/kept'))).text()).toContain('as it was')
})

test('the console of a follower shows and changes the same data as the leader, live', async ({ page }) => {
  await write(0, 'open/flute', 'written at the leader')
  await open(page, true, 1)
  await page.goto(`${nodeAt(1).console}/data/${PROJECT}/(default)/open`)
  await expect(page.getByRole('row', { name: 'flute' })).toContainText('written at the leader')
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  await write(2, 'open/oboe', 'written at the third node')
  await expect(page.getByRole('row', { name: 'oboe' })).toContainText('written at the third node')
  await page.getByRole('row', { name: 'flute' }).getByText('flute', { exact: true }).click()
  await page.getByLabel('Value of text').fill('changed at a follower')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect(await (await fetch(documentAt(0, 'open/flute'))).text()).toContain('changed at a follower')
  await expect(page.getByText('Leading node')).toBeVisible()
})

/** Sends a request with some headers to a node's console. fetch cannot set the Host header. */
function requested(i: number, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${nodeAt(i).console}/api/session`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}

test('a follower refuses its console to other host names, other origins and requests without a session', async ({ page }) => {
  await open(page, false, 1)
  const [cookie] = await page.context().cookies(nodeAt(1).console)
  const session = `${cookie?.name}=${cookie?.value}`
  expect(await requested(1, { cookie: session })).toBe(200)
  expect(await requested(1, {})).toBe(401)
  expect(await requested(1, { cookie: session, host: `rebound.example:${new URL(nodeAt(1).console).port}` })).toBe(403)
  expect(await requested(1, { cookie: session, origin: nodeAt(0).console })).toBe(403)
  const link = await linkAt(1, false)
  expect((await page.goto(link))?.status()).toBe(200)
  expect((await page.goto(link))?.status()).toBe(401)
})

test('after a change of leaders a new link opens the console at every node', async ({ page }) => {
  await open(page, true, 2)
  const before = nodeAt(0).child
  const ended = new Promise((resolve) => before.once('exit', resolve))
  before.kill('SIGTERM')
  await ended
  await write(2, 'open/horn', 'written after the change')
  await expect(async () => {
    expect(await requested(2, {})).toBe(401)
    expect(await requested(1, {})).toBe(401)
  }).toPass()
  for (const i of [1, 2]) {
    await open(page, true, i)
    await page.goto(`${nodeAt(i).console}/data/${PROJECT}/(default)/open`)
    await expect(page.getByRole('row', { name: 'horn' })).toContainText('written after the change')
  }
})
