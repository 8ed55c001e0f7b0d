// Reads a collection by one fresh client of the web SDK after another until the standard input ends, as a page does that
// is opened: a client whose first stream fails takes itself for offline and answers from its empty cache. Arguments: the
// frontend's folder, the ports of the nodes, the name of the project, the number of documents in the collection fresh,
// and node (over gRPC) or browser (over WebChannel in Chromium). Prints the number of clients so far after each client,
// and fails at an answer without all documents, or from the cache.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { opened } from './opened.mjs'

const [frontend, ports, project, count, where] = process.argv.slice(2)
const nodes = JSON.parse(ports)
const parallel = 3
let over = false
process.stdin.resume().on('end', () => (over = true))

// inNode returns a function that reads by a fresh client of a node's port.
function inNode() {
  const require = createRequire(join(frontend, 'package.json'))
  const { deleteApp, initializeApp } = require('firebase/app')
  const web = require('firebase/firestore')
  web.setLogLevel('silent')
  let apps = 0
  const read = async (port) => {
    const app = initializeApp({ projectId: project, apiKey: 'k' }, `app${apps++}`)
    const db = web.getFirestore(app)
    web.connectFirestoreEmulator(db, '127.0.0.1', port)
    const found = await web.getDocs(web.collection(db, 'fresh'))
    await deleteApp(app)
    return { size: found.size, fromCache: found.metadata.fromCache }
  }
  return { read, close: () => {} }
}

// inBrowser is inNode for clients in a page.
async function inBrowser() {
  const { visit, run, close } = await opened(frontend)
  const page = await visit()
  return { read: (port) => run(page, 'openAndRead', { project, host: '127.0.0.1', port, path: 'fresh' }), close }
}

const { read, close } = await (where === 'browser' ? inBrowser() : inNode())
const wrong = []
let clients = 0
async function readers(first) {
  for (let i = first; !over; i += parallel) {
    const port = nodes[i % nodes.length]
    const found = await read(port)
    if (found.size !== Number(count) || found.fromCache) wrong.push(`client ${clients} at the node with port ${port}: ${found.size} documents, from the cache: ${found.fromCache}`)
    console.log(++clients)
  }
}
await Promise.all(Array.from({ length: parallel }, (_, i) => readers(i)))
await close()
assert.deepEqual(wrong, [], `wrong answers to ${wrong.length} of ${clients} clients`)
process.exit(0)
