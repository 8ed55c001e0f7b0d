'use strict'
const { createSign } = require('node:crypto')
const https = require('node:https')
const sdk = require('./sdk.js')

/** The grant with which service accounts request access tokens (RFC 7523). */
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The time for a response of the token endpoint, and the remaining life of a token that is renewed, in milliseconds. */
const patience = 30_000
const early = 5 * 60_000

/** Returns the credential of an app: the SDK's own, which signs with the key, with access tokens of Clave. */
function credential({ key, access }) {
  // The SDK returns the same object for the same key, so it must not be changed.
  const made = Object.create(sdk.load('firebase-admin/app').cert(key))
  made.getAccessToken = async () => {
    const { token, expires } = await access.renew()
    return { access_token: token, expires_in: Math.floor((expires - Date.now()) / 1000) }
  }
  return made
}

/** Returns the source of a key's access tokens. */
function grantAccess(key, agent) {
  let current // the newest token
  let renewal // the promise of the next one
  /** Requests a new token. Concurrent calls share one request. */
  const renew = () => {
    renewal ??= request(key, agent)
      .then((token) => (current = token))
      .finally(() => (renewal = undefined))
    return renewal
  }
  /** Returns a token that is valid for some minutes. One that cannot be renewed is used until it expires. */
  const token = async () => {
    if (current && current.expires - Date.now() > early) return current.token
    try {
      return (await renew()).token
    } catch (error) {
      if (current && current.expires > Date.now()) return current.token
      throw error
    }
  }
  return { renew, token }
}

/** Requests an access token with a signed assertion. */
async function request(key, agent) {
  const asked = Date.now()
  const body = new URLSearchParams({ grant_type: grant, assertion: assertion(key, asked) }).toString()
  const { status, text } = await post(agent, body).catch((error) => {
    if (error.code === 'ECONNRESET') return post(agent, body) // the server closed an idle connection
    throw error
  })
  let answer = {}
  try {
    answer = JSON.parse(text)
  } catch {
    // A proxy's page. The status says enough.
  }
  if ([400, 401, 403].includes(status)) {
    const message = `clave/admin: the key ${key.private_key_id} of ${key.client_email} was refused. It was revoked, or it is of another server, or this machine's clock is wrong.`
    throw Object.assign(new Error(message), { refused: true })
  }
  if (status !== 200) throw new Error(`clave/admin: the token endpoint answered ${status}`)
  if (!answer.access_token) throw new Error(`clave/admin: the token endpoint of ${agent.origin.host} answered without a token. Is it Clave?`)
  return { token: answer.access_token, expires: asked + answer.expires_in * 1000 }
}

/** Returns a signed assertion for the key's token endpoint. */
function assertion(key, now) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const seconds = Math.floor(now / 1000)
  const head = { alg: 'RS256', typ: 'JWT', kid: key.private_key_id }
  const claims = { iss: key.client_email, sub: key.client_email, aud: key.token_uri, iat: seconds, exp: seconds + 3600 }
  const signed = `${encode(head)}.${encode(claims)}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key.private_key, 'base64url')}`
}

/** Posts a form to the token endpoint. */
function post(agent, body) {
  return new Promise((done, fail) => {
    const sent = https.request('https://oauth2.googleapis.com/token', {
      method: 'POST',
      agent,
      timeout: patience,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) },
    })
    sent.once('timeout', () => sent.destroy(new Error(`clave/admin: no token within ${patience / 1000} s`)))
    sent.once('error', fail)
    sent.once('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part) => (text += part))
      answer.once('error', fail)
      answer.once('end', () => done({ status: answer.statusCode, text }))
    })
    sent.end(body)
  })
}

exports.credential = credential
exports.grantAccess = grantAccess
