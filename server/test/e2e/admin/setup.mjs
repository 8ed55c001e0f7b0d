// The parts that the programs share: the server of the test, and calls as a client makes them.
//
// CLAVE_URL is the server, CLAVE_KEY the file of a service account's key and CLAVE_CA that of the authority of the
// server's certificate.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

export const { CLAVE_URL: url, CLAVE_KEY: key, CLAVE_CA: ca } = process.env
const agent = new Agent({ ca: readFileSync(ca), keepAlive: true })

/** Returns a name that no other run uses. */
export const unique = (name) => `${name}-${randomBytes(6).toString('hex')}`

/** Returns an unused e-mail address. */
export const address = () => `${unique('u')}@example.org`

/** Returns an unused phone number of the form that is reserved for fiction. */
export const phone = () => `+1650555${String(randomBytes(4).readUInt32BE() % 10_000).padStart(4, '0')}`

/** Calls the server and returns the status and the parsed response. Further options are header fields. */
export function call(path, body, { method = 'POST', ...more } = {}) {
  return new Promise((done, fail) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...more }
    const sent = request(url + path, { method, agent, headers }, (answer) => {
      let said = ''
      answer.setEncoding('utf8').on('data', (part) => (said += part))
      answer.on('end', () => done({ status: answer.statusCode, body: JSON.parse(said) }))
    })
    sent.on('error', fail)
    sent.end(text)
  })
}

/** Calls a method of the Identity Toolkit that must succeed. */
export async function client(method, body) {
  const answer = await call(`/identitytoolkit.googleapis.com/v1/accounts:${method}?key=k`, body)
  assert.equal(answer.status, 200, `${method}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Calls a method of the Identity Toolkit that must fail, and returns the error's message. */
export async function refused(method, body) {
  const answer = await call(`/identitytoolkit.googleapis.com/v1/accounts:${method}?key=k`, body)
  assert.notEqual(answer.status, 200, `${method} was not refused`)
  return answer.body.error.message
}

/** Signs in with a password. */
export const signIn = (email, password, tenantId) => client('signInWithPassword', { email, password, tenantId, returnSecureToken: true })

/** Signs in with a custom token. */
export const signInCustom = (token, tenantId) => client('signInWithCustomToken', { token, tenantId, returnSecureToken: true })

/** Waits for a second to begin, because the times that end sessions are in whole seconds. */
export async function nextSecond() {
  await new Promise((done) => setTimeout(done, 1000 - (Date.now() % 1000) + 20))
}

/** Returns an object of the SDK as JSON, without its classes. */
export const json = (object) => JSON.parse(JSON.stringify(object))

/** Returns an object whose methods record their names in a set when they are called. */
export function tracked(object, prefix, called) {
  return new Proxy(object, {
    get(target, name) {
      const value = target[name]
      if (typeof value !== 'function') return value
      return (...args) => {
        called.add(prefix + name)
        return value.apply(target, args)
      }
    },
  })
}

/** Returns the names of the public methods of a class and of the classes that it extends. */
export function methods(object, prefix) {
  const names = []
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function' && name !== 'constructor' && !internal.has(name)) names.push(prefix + name)
    }
  }
  return [...new Set(names)]
}

/** Methods of the SDK's classes that are not part of its API. */
const internal = new Set(['verifyDecodedJWTNotRevokedOrDisabled', 'verifyDecodedJWTNotRevoked'])

/** Returns a function that asserts that a promise is rejected with a code of the SDK. */
export const rejects = (promise, code) => assert.rejects(promise, (error) => assert.equal(error.code, code, error.stack) === undefined)
