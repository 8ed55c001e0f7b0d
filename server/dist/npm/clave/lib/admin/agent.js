'use strict'
const https = require('node:https')
const net = require('node:net')
const { tunnel } = require('./proxy.js')

/** Google's hosts whose APIs Clave implements. */
const hosts = new Set([
  'identitytoolkit.googleapis.com',
  'securetoken.googleapis.com',
  'www.googleapis.com',
  'iamcredentials.googleapis.com',
  'oauth2.googleapis.com',
  'firebaseappcheck.googleapis.com',
  'securetoken.google.com',
])

/** The host of the Firebase Rules API, which the administration APIs have under its own paths. */
const rules = 'firebaserules.googleapis.com'

/** How long an idle connection is kept, in milliseconds. The server keeps it longer. */
const idle = 20_000

/**
 * An agent that sends requests for Google's hosts to Clave. Their host becomes the first segment of the path, as for the
 * web SDK, so that a proxy in front of Clave needs rules for Clave's name only. All hosts share the connections of an app.
 * Requests of the Rules API go to the administration APIs, if the app knows their URL.
 */
class Agent extends https.Agent {
  constructor(origin, admin) {
    super({ keepAlive: true, scheduling: 'lifo', timeout: idle, ...(origin.ca && { ca: origin.ca }) })
    this.origin = origin
    this.admin = admin
  }

  /** Node calls addRequest before it sends the request's head. */
  addRequest(request, options) {
    const host = options.hostname ?? options.host
    const origin = host === rules && this.admin ? this.admin : this.origin
    const { hostname, port, servername } = origin
    if (origin !== this.origin) {
      request.setHeader('host', origin.host)
    } else if (host === rules) {
      process.nextTick(() => request.destroy(new Error(`clave/admin: ${host} needs the URL of Clave's administration APIs. Give it as adminApi.`)))
    } else if (hosts.has(host)) {
      request.path = `/${host}${request.path}`
      request.setHeader('host', this.origin.host)
    } else {
      process.nextTick(() => request.destroy(new Error(`clave/admin: Clave has no ${host}. Use another app, with a key of Google's, for its service.`)))
    }
    super.addRequest(request, { ...options, host: hostname, hostname, port, servername, origin })
  }

  /** Opens a connection to Clave, through a proxy if the environment names one. */
  createConnection(options, done) {
    const { hostname, port, proxy, secure } = options.origin
    if (!secure) return net.connect({ host: hostname, port })
    if (!proxy) return super.createConnection(options, done)
    tunnel(proxy, `${net.isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`, (error, socket) => {
      if (error) return done(error)
      done(null, super.createConnection({ ...options, socket }))
    })
  }
}

exports.Agent = Agent
