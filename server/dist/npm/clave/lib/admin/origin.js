'use strict'
const { readFileSync } = require('node:fs')
const { isIP } = require('node:net')
const { proxyFor } = require('./proxy.js')

/** The address in Google's own keys, which Clave's keys do not have. */
const google = 'oauth2.googleapis.com'

/**
 * Returns where Clave is. The origin is `url`, or that of the key's token_uri.
 *
 * secure is false only for http URLs of this machine: on a network, anyone in between could act as any user.
 */
function openOrigin({ url, ca }, key) {
  const tokens = new URL(key.token_uri)
  if (!url && tokens.hostname === google) throw new TypeError("clave/admin: the key is Google's. Make one with `clave credentials create`.")
  const at = new URL(url ?? tokens.origin)
  if (!['http:', 'https:'].includes(at.protocol) || at.pathname !== '/' || at.search) throw new TypeError(`clave/admin: ${at.href} is not an origin such as https://data.example.org`)
  const hostname = at.hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = at.protocol === 'https:'
  if (!secure && !['localhost', '127.0.0.1', '::1'].includes(hostname)) throw new TypeError(`clave/admin: ${at.origin} is not encrypted. Use https.`)
  return {
    secure,
    hostname,
    port: Number(at.port) || (secure ? 443 : 80),
    host: at.host,
    servername: isIP(hostname) ? '' : hostname,
    ca: ca === undefined ? undefined : certificates(ca),
    proxy: secure ? proxyFor(hostname, process.env) : undefined,
  }
}

/** Returns certificates in PEM of a text, a file or a list of them. */
function certificates(given) {
  if (Array.isArray(given)) return given.map(certificates).join('\n')
  const text = Buffer.isBuffer(given) || /-----BEGIN /.test(given) ? String(given) : readFileSync(given, 'utf8')
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new TypeError('clave/admin: `ca` has no certificate in PEM')
  return text
}

exports.openOrigin = openOrigin
