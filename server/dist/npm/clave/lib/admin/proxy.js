'use strict'
const http = require('node:http')

/**
 * Returns the proxy for a host from the environment variables that gRPC reads, so that Auth and Firestore take the same
 * way, or undefined.
 */
function proxyFor(hostname, env) {
  const given = env.grpc_proxy || env.https_proxy || env.http_proxy
  if (!given) return undefined
  const except = (env.no_grpc_proxy || env.no_proxy || '').split(',').map((name) => name.trim())
  if (except.some((name) => name !== '' && hostname.endsWith(name))) return undefined
  const url = new URL(given)
  if (url.protocol !== 'http:') throw new TypeError(`clave/admin: the proxy ${url.origin} is not an http URL, the only kind that gRPC supports`)
  return url
}

/** Opens a tunnel through a proxy to a host and port, and calls done(error, socket). */
function tunnel(proxy, target, done) {
  const headers = { host: target }
  if (proxy.username) {
    const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
    headers['proxy-authorization'] = `Basic ${Buffer.from(user).toString('base64')}`
  }
  const request = http.request({
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(proxy.port) || 80,
    method: 'CONNECT',
    path: target,
    headers,
    agent: false,
  })
  request.once('error', done)
  request.once('response', (answer) => {
    answer.resume() // a proxy that answers CONNECT with a body
    done(new Error(`clave/admin: the proxy ${proxy.host} answered ${answer.statusCode}`))
  })
  request.once('connect', (answer, socket) => {
    if (answer.statusCode === 200) return done(null, socket)
    socket.destroy()
    done(new Error(`clave/admin: the proxy ${proxy.host} refused a tunnel to ${target}: ${answer.statusCode} ${answer.statusMessage}`))
  })
  request.end()
}

exports.proxyFor = proxyFor
exports.tunnel = tunnel
