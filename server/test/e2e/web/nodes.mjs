// Listens at a node by the web SDK in Chromium while documents are written and a node ends. Arguments: the frontend's
// folder, the ports of the nodes, of which sessions begin at the first one, the number of the process to kill, the name
// of the project, and true for long polling.
import assert from 'node:assert/strict'
import { opened } from './opened.mjs'
import { spreading } from './proxies.mjs'

const [frontend, ports, victim, signal, project, longPolling] = process.argv.slice(2)
const all = JSON.parse(ports)
const { visit, run, close } = await opened(frontend)
const proxy = await spreading(all)

// write writes a number at any node. It is repeated until a node accepts it.
async function write(n) {
  const body = JSON.stringify({ fields: { n: { integerValue: String(n) } } })
  for (let i = 0; ; i++) {
    const url = `http://127.0.0.1:${all[i % all.length]}/v1/projects/${project}/databases/(default)/documents/killed/one`
    const answer = await fetch(url, { method: 'PATCH', headers: { authorization: 'Bearer owner' }, body }).catch(() => null)
    if (answer?.status === 200) return Date.now()
    await answer?.text()
    await new Promise((done) => setTimeout(done, 50))
  }
}

const page = await visit()
await run(page, 'follow', { project, host: 'localhost', port: proxy.port, longPolling: longPolling === 'true', path: 'killed' })
const shows = (n) => page.waitForFunction((n) => window.numbers.at(-1)?.n === n && !window.events.at(-1).fromCache, n)
const acknowledged = []
for (let n = 0; n < 10; n++) acknowledged.push(await write(n))
await shows(9)
process.kill(Number(victim), signal)
for (let n = 10; n < 40; n++) acknowledged.push(await write(n))
await shows(39)
const seen = await page.evaluate(() => window.numbers)
assert.deepEqual(seen.map((s) => s.n ?? -1), seen.map((s) => s.n ?? -1).toSorted((a, b) => a - b), 'the numbers never fall')
const delays = acknowledged.slice(10).map((at, i) => Math.max(0, seen.find((s) => s.n >= i + 10).at - at))
console.log(`most ${Math.max(...delays)} ms from an acknowledgement to the page after the end`)
await page.close()
proxy.close()
await close()
