// A SAML provider, samlp from npm. It signs in the user that was set at /as/NAME, at first ann, and refuses the user
// nobody. Arguments: the folder of its modules, and the files of its key and its certificate. It prints its origin.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'

const [modules, key, cert] = process.argv.slice(2)
const samlp = createRequire(path.join(modules, 'package.json'))('samlp')
let user = 'ann'
const server = http.createServer((request, response) => {
  const url = new URL(request.url, origin)
  if (url.pathname.startsWith('/as/')) {
    user = url.pathname.slice('/as/'.length)
    response.end()
    return
  }
  // samlp is made for express.
  request.query = Object.fromEntries(url.searchParams)
  response.set = (name, value) => response.setHeader(name, value)
  response.send = (body) => response.end(String(body))
  const failed = (error) => {
    response.statusCode = 500
    response.end(String(error))
  }
  samlp.parseRequest(request, (error, asked) => {
    if (error || !asked) return failed(error || 'no request')
    const acs = asked.assertionConsumerServiceURL
    const options = {
      issuer: `${origin}/metadata`, key: readFileSync(key), cert: readFileSync(cert), audience: asked.issuer, destination: acs, recipient: acs, inResponseTo: asked.id,
      signatureAlgorithm: 'rsa-sha256', digestAlgorithm: 'sha256', RelayState: request.query.RelayState, getPostURL: (...args) => args.at(-1)(null, acs),
      getUserFromRequest: () => ({ id: `${user}@corp.example`, displayName: user, emails: [{ value: `${user}@corp.example` }], name: { givenName: user, familyName: 'Corp' } }),
    }
    if (user === 'nobody') samlp.sendError({ ...options, error: { description: 'refused' } })(request, response, failed)
    else samlp.auth(options)(request, response, failed)
  })
})
let origin = 'http://localhost'
server.listen(0, '127.0.0.1', () => {
  origin = `http://localhost:${server.address().port}`
  console.log(origin)
})
