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
