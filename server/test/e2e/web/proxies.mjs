// Proxies between the page and the server.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'

// counting forwards bytes and counts those from the server.
export async function counting(to) {
  const tally = { bytes: 0 }
  const server = net.createServer((client) => {
    const upstream = net.connect(to, '127.0.0.1')
    upstream.on('data', (d) => (tally.bytes += d.length))
    client.pipe(upstream).pipe(client)
    for (const s of [client, upstream]) s.on('error', () => (client.destroy(), upstream.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: server.address().port, tally, close: () => server.close() }
}

// buffering forwards each response when it is complete, as some proxies do, and counts the polls for complete responses.
export async function buffering(to) {
  const tally = { polls: 0, streams: 0 }
  const server = http.createServer((req, res) => {
    if (req.url.includes('CI=1')) tally.polls++
    if (req.url.includes('CI=0')) tally.streams++
    const upstream = http.request({ host: '127.0.0.1', port: to, method: req.method, path: req.url, headers: req.headers }, (answer) => {
      const parts = []
      answer.on('data', (d) => parts.push(d))
      answer.on('end', () => {
        const body = Buffer.concat(parts)
        const { 'transfer-encoding': _, ...headers } = answer.headers
        res.writeHead(answer.statusCode, { ...headers, 'content-length': body.length })
        res.end(body)
      })
      answer.on('error', () => res.destroy())
    })
    upstream.on('error', () => res.destroy())
    res.on('close', () => upstream.destroy())
    req.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: server.address().port, tally, close: () => (server.close(), server.closeAllConnections()) }
}

// spreading sends each request over a connection of its own to the next of some ports that accepts one. Listen sessions
// begin at the first port.
export async function spreading(ports) {
  let next = 0
  const server = http.createServer(async (req, res) => {
    const parts = []
    for await (const part of req) parts.push(part)
    const begins = req.method === 'POST' && req.url.includes('/Listen/channel') && !req.url.includes('SID=')
    const send = (left) => {
      const port = begins ? ports[ports.length - left] : ports[next++ % ports.length]
      const upstream = http.request({ agent: false, host: '127.0.0.1', port, method: req.method, path: req.url, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode, answer.headers)
        res.flushHeaders()
        answer.pipe(res)
        answer.on('error', () => res.destroy())
      })
      upstream.on('error', (e) => (e.code === 'ECONNREFUSED' && left > 1 ? send(left - 1) : res.destroy()))
      res.on('close', () => upstream.destroy())
      upstream.end(Buffer.concat(parts))
    }
    send(ports.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: server.address().port, close: () => (server.close(), server.closeAllConnections()) }
}
