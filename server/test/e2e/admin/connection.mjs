// How clave/admin reaches `clave serve`: keys, authorities, proxies, connections, access tokens, and what it refuses.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { dirname, join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { deleteApp, initializeApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { getFirestore } from 'firebase-admin/firestore'
import { getSecurityRules } from 'firebase-admin/security-rules'
import { claveApp, claveFirestore, claveOptions } from 'clave/admin'
import { certificates } from './samples.mjs'
import { address, ca, call, key, signIn, signInCustom, unique, url } from './setup.mjs'

const text = readFileSync(key, 'utf8')
const target = new URL(url)
const closing = []

after(() => Promise.all(closing.map((close) => close())))

/** Returns an app for one test. */
function appOf(options, t) {
  const app = initializeApp(claveOptions({ key, ca, ...options }), unique('app'))
  t.after(() => deleteApp(app))
  return app
}

/** Serves on a free port of this machine until the program ends, and returns the port. */
async function serve(server) {
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  closing.push(() => {
    server.closeAllConnections?.()
    return new Promise((done) => server.close(done))
  })
  return server.address().port
}

/** Serves TLS in front of the server, as a load balancer does, and reports requests. change may change a response. */
async function front(change = () => {}) {
  const seen = { connections: 0, requests: [] }
  const files = { cert: readFileSync(ca), key: readFileSync(join(dirname(ca), 'key.pem')) }
  const agent = new https.Agent({ ca: readFileSync(ca), keepAlive: false })
  const server = https.createServer(files, (request, response) => {
    seen.requests.push({ host: request.headers.host, path: request.url })
    const onward = https.request(url + request.url, { method: request.method, headers: { ...request.headers, host: target.host }, agent }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part) => (body += part))
      answer.on('end', () => {
        const changed = change(request, body, response) ?? body
        if (response.writableEnded) return
        response.writeHead(answer.statusCode, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(changed) })
        response.end(changed)
      })
    })
    request.pipe(onward)
  })
  server.on('secureConnection', () => seen.connections++)
  return { server, seen, url: `https://127.0.0.1:${await serve(server)}` }
}

/** Serves a proxy for CONNECT with a user and a password, and reports its tunnels. */
async function proxy() {
  const tunnels = []
  const server = http.createServer()
  server.on('connect', (request, client) => {
    if (request.headers['proxy-authorization'] !== `Basic ${Buffer.from('ana:s p').toString('base64')}`) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    tunnels.push(request.url)
    const [host, port] = request.url.split(':')
    const onward = net.connect(port, host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(client).pipe(onward)
    })
    for (const socket of [client, onward]) {
      socket.on('error', () => {})
      closing.push(() => socket.destroy())
    }
  })
  return { tunnels, port: await serve(server) }
}

/** Sets variables of the environment for one test. */
function withEnv(variables, t) {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  t.after(() => {
    for (const name of Object.keys(variables)) {
      if (name in before) process.env[name] = before[name]
      else delete process.env[name]
    }
  })
}

test('keys in every form', async (t) => {
  for (const form of [key, pathToFileURL(key), text, Buffer.from(text), JSON.parse(text)]) {
    await getAuth(appOf({ key: form }, t)).listUsers(1)
  }
  const google = { ...JSON.parse(text), token_uri: 'https://oauth2.googleapis.com/token' }
  assert.throws(() => claveOptions({ key: google }), /the key is Google's/)
  await getAuth(appOf({ key: google, url }, t)).listUsers(1)
  assert.throws(() => claveOptions({}), /give `key`/)
  assert.throws(() => claveOptions({ key: '{' }), /not JSON/)
  assert.throws(() => claveOptions({ key: { project_id: 'x' } }), /no private_key/)
  assert.throws(() => claveOptions({ key, url: 'http://data.example.org' }), /not encrypted/)
  assert.throws(() => claveOptions({ key, url: 'https://data.example.org/path' }), /not an origin/)
  assert.throws(() => claveOptions({ key, ca: key }), /no certificate/)
})

test('environment variables of the emulators are refused', (t) => {
  for (const name of ['FIREBASE_AUTH_EMULATOR_HOST', 'FIRESTORE_EMULATOR_HOST']) {
    withEnv({ [name]: '127.0.0.1:1' }, t)
    assert.throws(() => claveOptions({ key, ca }), new RegExp(`${name} is set`))
    delete process.env[name]
  }
})

test('the certificate is verified', async (t) => {
  const app = appOf({ ca: undefined }, t) // NODE_EXTRA_CA_CERTS
  await getAuth(app).listUsers(1)
  await claveFirestore(app).doc('trusted/a').get()
  await getAuth(appOf({ ca: [readFileSync(ca)] }, t)).listUsers(1)
  await assert.rejects(getAuth(appOf({ ca: certificates[0] }, t)).listUsers(1), /certificate/)
})

test('requests have the name of Clave, and share connections', async (t) => {
  const { seen, ...at } = await front()
  const auth = getAuth(appOf({ url: at.url }, t))
  const { idToken } = await signInCustom(await auth.createCustomToken(unique('user')))
  await auth.verifyIdToken(idToken)
  await auth.verifySessionCookie(await auth.createSessionCookie(idToken, { expiresIn: 3600_000 }))
  for (let i = 0; i < 10; i++) await auth.listUsers(1)
  assert.equal(seen.connections, 1)
  assert.ok(seen.requests.every(({ host }) => host === new URL(at.url).host))
  assert.deepEqual([...new Set(seen.requests.map(({ path }) => path.split('/')[1]))].sort(), ['identitytoolkit.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com'])
  await Promise.all(Array.from({ length: 8 }, () => auth.listUsers(1)))
  at.server.closeAllConnections() // as a balancer that restarts
  await auth.listUsers(1)
})

test('access tokens are renewed', async (t) => {
  let life = 301
  let down = false
  const { seen, ...at } = await front((request, body, response) => {
    if (!request.url.startsWith('/oauth2')) return body
    if (down) return void response.writeHead(503).end('down')
    return JSON.stringify({ ...JSON.parse(body), expires_in: life })
  })
  const asked = () => seen.requests.filter(({ path }) => path.startsWith('/oauth2')).length
  const app = appOf({ url: at.url }, t)
  const auth = getAuth(app)
  life = 3600
  await auth.listUsers(1)
  await auth.listUsers(1)
  assert.equal(asked(), 1)
  life = 200 // the SDK renews tokens five minutes before they expire
  await app.options.credential.getAccessToken()
  const short = getAuth(appOf({ url: at.url }, t))
  const before = asked()
  await short.listUsers(1)
  await short.listUsers(1)
  assert.equal(asked(), before + 2)
  down = true
  await assert.rejects(getAuth(appOf({ url: at.url }, t)).listUsers(1), /the token endpoint answered 503/)
})

test('a proxy of the environment serves Auth and Firestore', async (t) => {
  const { tunnels, port } = await proxy()
  withEnv({ https_proxy: `http://ana:s%20p@127.0.0.1:${port}` }, t)
  const app = appOf({}, t)
  await getAuth(app).listUsers(1)
  assert.deepEqual(tunnels, [target.host])
  assert.equal((await claveFirestore(app).doc('proxied/a').get()).exists, false)
  assert.deepEqual(tunnels, [target.host, target.host])
  process.env.https_proxy = `http://127.0.0.1:${port}`
  await assert.rejects(getAuth(appOf({}, t)).listUsers(1), /refused a tunnel.*407/)
  withEnv({ no_proxy: target.hostname }, t)
  await getAuth(appOf({}, t)).listUsers(1)
  assert.equal(tunnels.length, 2)
})

test('plain http is for this machine, without Firestore', async (t) => {
  const paths = []
  const server = http.createServer((request, response) => {
    paths.push(request.url)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(paths.length === 1 ? { access_token: 'x', expires_in: 3600 } : { users: [] }))
  })
  const app = appOf({ url: `http://127.0.0.1:${await serve(server)}` }, t)
  assert.deepEqual((await getAuth(app).listUsers(1)).users, [])
  assert.equal(paths[0], '/oauth2.googleapis.com/token')
  assert.throws(() => claveFirestore(app), /needs an https URL/)
})

test("services that Clave does not have don't get its tokens", async (t) => {
  await assert.rejects(getSecurityRules(appOf({}, t)).getFirestoreRuleset(), /firebaserules\.googleapis\.com needs .* adminApi/)
})

test('custom tokens are signed without a key', async (t) => {
  const holder = appOf({}, t)
  const { httpAgent, projectId } = holder.options
  const app = initializeApp({ credential: { getAccessToken: () => holder.options.credential.getAccessToken() }, httpAgent, projectId, serviceAccountId: JSON.parse(text).client_email }, unique('app'))
  t.after(() => deleteApp(app))
  const uid = unique('signed')
  const { idToken } = await signInCustom(await getAuth(app).createCustomToken(uid, { level: 1 }))
  assert.equal((await getAuth(app).verifyIdToken(idToken)).level, 1)
})

test('one call configures Firestore, and can leave it out', async (t) => {
  const whole = claveApp({ key, ca }, unique('app'))
  const none = claveApp({ key, ca, firestore: false }, unique('app'))
  t.after(() => Promise.all([deleteApp(whole), deleteApp(none)]))
  assert.equal((await getFirestore(whole).doc('nothing/here').get()).exists, false)
  assert.throws(() => getFirestore(whole).settings({}), /already been initialized/)
  assert.equal(none.options.projectId, JSON.parse(text).project_id)
})

test('tokens of blocking functions are verified', async (t) => {
  const app = appOf({}, t)
  const auth = getAuth(app)
  const events = []
  const server = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part) => (body += part))
    request.on('end', () => {
      events.push(JSON.parse(body).data.jwt)
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
  })
  const functionUri = `http://127.0.0.1:${await serve(server)}/beforeSignIn`
  const { credential, projectId } = app.options
  const { access_token } = await credential.getAccessToken()
  const configure = (blockingFunctions) => call(`/identitytoolkit.googleapis.com/v2/projects/${projectId}/config?updateMask=blockingFunctions`, { blockingFunctions }, { method: 'PATCH', authorization: `Bearer ${access_token}` })
  assert.equal((await configure({ triggers: { beforeSignIn: { functionUri } } })).status, 200)
  t.after(() => configure({}))
  const [uid, email] = [unique('blocked'), address()]
  await auth.createUser({ uid, email, password: 'secreta1' })
  await signIn(email, 'secreta1')
  assert.equal(events.length, 1)
  const event = await auth._verifyAuthBlockingToken(events[0], functionUri)
  assert.deepEqual([event.event_type, event.uid], ['beforeSignIn', uid])
  await assert.rejects(auth._verifyAuthBlockingToken(`${events[0].slice(0, -8)}AAAAAAAA`, functionUri), /invalid signature/)
  await auth.deleteUser(uid)
})
