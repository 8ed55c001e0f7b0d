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

/** How long an idle connection is kept, in milliseconds. The server keeps it longer. */
const idle = 20_000

/**
 * An agent that sends requests for Google's hosts to Clave. Their host becomes the first segment of the path, as for the
 * web SDK, so that a proxy in front of Clave needs rules for Clave's name only. All hosts share the connections of an app.
 */
class Agent extends https.Agent {
  constructor(origin) {
    super({ keepAlive: true, scheduling: 'lifo', timeout: idle, ...(origin.ca && { ca: origin.ca }) })
    this.origin = origin
  }

  /** Node calls addRequest before it sends the request's head. */
  addRequest(request, options) {
    const host = options.hostname ?? options.host
    const { hostname, port, servername } = this.origin
    if (hosts.has(host)) {
      request.path = `/${host}${request.path}`
      request.setHeader('host', this.origin.host)
    } else {
      process.nextTick(() => request.destroy(new Error(`clave/admin: Clave has no ${host}. Use another app, with a key of Google's, for its service.`)))
    }
    super.addRequest(request, { ...options, host: hostname, hostname, port, servername })
  }

  /** Opens a connection to Clave, through a proxy if the environment names one. */
  createConnection(options, done) {
    const { hostname, port, proxy, secure } = this.origin
    if (!secure) return net.connect({ host: hostname, port })
    if (!proxy) return super.createConnection(options, done)
    tunnel(proxy, `${net.isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`, (error, socket) => {
      if (error) return done(error)
      done(null, super.createConnection({ ...options, socket }))
    })
  }
}

exports.Agent = Agent
