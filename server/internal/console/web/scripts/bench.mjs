// Measures the console in Chromium with many documents and users: the first rows, and long tasks while scrolling.
import { chromium } from '@playwright/test'
import { BROWSER, post, start } from './server.mjs'

const PROJECT = 'demo-large'
const DOCUMENTS = Number(process.env.DOCUMENTS ?? 1_000_000)
const USERS = Number(process.env.USERS ?? 100_000)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SCREENS = 60
const MOST_FIRST_MS = 300
const MOST_TASK_MS = 100
const BATCH = 500
const AT_ONCE = 4

const server = await start(
  PROJECT,
  "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /{any=**} { allow read: if false; } } }\n",
)
const root = `projects/${PROJECT}/databases/(default)/documents`
const identity = `http://127.0.0.1:${server.auth}/identitytoolkit.googleapis.com/v1/projects/${PROJECT}`

/** Calls work for each batch of n items, with some batches in parallel. */
async function inBatches(n, work) {
  let next = 0
  const one = async () => {
    for (let from = next; from < n; from = next) {
      next += BATCH
      await work(Array.from({ length: Math.min(BATCH, n - from) }, (_, i) => from + i))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

const person = (i, collection = 'people') => ({
  update: {
    name: `${root}/${collection}/p${String(i).padStart(7, '0')}`,
    fields: { name: { stringValue: `Person ${i}` }, age: { integerValue: String(i % 90) }, active: { booleanValue: i % 3 > 0 } },
  },
})
const user = (i) => ({ localId: `u${String(i).padStart(6, '0')}`, email: `user${i}@example.org`, displayName: `User ${i}` })

/** The median of numbers. */
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]

/** The time from the start of the navigation until the first row is rendered, measured in the page. */
async function firstRow(context, path, selector) {
  const page = await context.newPage()
  await page.addInitScript((wanted) => {
    const look = () => {
      if (!document.querySelector(wanted)) return requestAnimationFrame(look)
      window.firstRow = performance.now()
    }
    requestAnimationFrame(look)
  }, selector)
  await page.goto(`http://127.0.0.1:${server.ui}${path}`)
  await page.waitForFunction(() => window.firstRow !== undefined)
  const ms = await page.evaluate(() => window.firstRow)
  await page.close()
  return ms
}

/** The longest processor time of a task on the main threads of a trace's pages, in ms. On a busy machine a task lasts longer. */
function longestByProcessor(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const mains = new Set(
    traceEvents.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain').map((one) => `${one.pid} ${one.tid}`),
  )
  const tasks = traceEvents.filter((one) => one.name.endsWith('RunTask') && one.tdur !== undefined && mains.has(`${one.pid} ${one.tid}`))
  if (tasks.length === 0) throw new Error('the trace has no tasks')
  return Math.max(...tasks.map((one) => one.tdur)) / 1000
}

/** The tasks over 50 ms while a table is scrolled by many screens, with a pause after every tenth. */
async function longTasks(context) {
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${server.ui}/data/${PROJECT}/(default)/people`)
  await page.locator('.dot.on').waitFor()
  await page.evaluate(() => {
    window.tasks = []
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' })
  })
  const box = await page.getByRole('grid').boundingBox()
  await page.mouse.move(box.x + 200, box.y + 200)
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  for (let i = 1; i <= SCREENS; i++) {
    await page.mouse.wheel(0, 700)
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    if (i % 10 === 0) await page.waitForTimeout(400)
  }
  const processor = longestByProcessor(await browser.stopTracing())
  const answer = await page.evaluate(() => ({ tasks: window.tasks, rows: document.querySelectorAll('[role=row]').length }))
  const loaded = await page.locator('.table-foot').innerText()
  await page.close()
  return { ...answer, processor, loaded: loaded.split('\n')[0] }
}

let failed = false
const tell = (what, figure, most) => {
  const good = figure <= most
  if (!good) failed = true
  console.log(`${what}: ${figure.toFixed(0)} ms of at most ${most} ms${good ? '' : ' — TOO LONG'}`)
}
const browser = await chromium.launch(BROWSER)
try {
  await inBatches(DOCUMENTS, (batch) =>
    post(`http://127.0.0.1:${server.firestore}/v1/${root}:commit`, { writes: batch.map((i) => person(i)) }),
  )
  await inBatches(USERS, (batch) => post(`${identity}/accounts:batchCreate`, { users: batch.map(user) }))
  console.log(`${DOCUMENTS} documents, ${USERS} users`)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const few = Array.from({ length: 100 }, (_, i) => person(i, 'few'))
  await post(`http://127.0.0.1:${server.firestore}/v1/${root}:commit`, { writes: few })
  const places = [
    // The page's own cost: the same with a hundred documents.
    ['of a hundred documents', `/data/${PROJECT}/(default)/few`, '.grid-row'],
    ['documents', `/data/${PROJECT}/(default)/people`, '.grid-row'],
    ['users', `/users/${PROJECT}/(default)`, '.table tbody tr'],
  ]
  for (const [name, path, selector] of places) {
    await firstRow(context, path, selector) // fills the browser's cache
    const all = []
    for (let i = 0; i < ROUNDS; i++) all.push(await firstRow(context, path, selector))
    tell(`first ${name}, median of ${ROUNDS}`, median(all), MOST_FIRST_MS)
  }
  const { tasks, rows, loaded, processor } = await longTasks(context)
  tell(
    `longest task in ${SCREENS} screens (${tasks.length} over 50 ms, ${loaded}, ${rows} rows in the page)`,
    Math.max(0, ...tasks),
    MOST_TASK_MS,
  )
  tell('the most that one of them took of the processor', processor, MOST_TASK_MS)
} finally {
  await browser.close()
  await server.stop()
}
if (failed) process.exit(1)
