// Two providers of OpenID Connect from npm: oidc-provider, whose pages ask for a name and for consent, and
// oauth2-mock-server, which signs in johndoe without a page. Their client is "clave", with the secret "secret". Arguments:
// the folder of their modules, and the client's redirect URI. It prints their origins.
import { once } from 'node:events'
import http from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, redirect] = process.argv.slice(2)
const require = createRequire(path.join(modules, 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)))
const { Provider } = await load('oidc-provider')
const { OAuth2Server } = await load('oauth2-mock-server')

const server = http.createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://localhost:${server.address().port}`
const provider = new Provider(origin, {
  clients: [{ client_id: 'clave', client_secret: 'secret', redirect_uris: [redirect] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: sub }) }),
})
server.on('request', provider.callback())

const mock = new OAuth2Server()
await mock.issuer.keys.generate('RS256')
await mock.start(0, 'localhost')
console.log(origin, mock.issuer.url)
