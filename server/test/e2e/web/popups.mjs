// Signs in with the site's SDK in an engine, without Google's library, step by step: by popup, in two tabs, and by redirect
// at the server's own site. In the mode "serve" the server is `clave serve` with TLS and a provider that signs in whom
// login_hint names; in "start" it is `clave start`, in whose page the user chooses an account. Arguments: the frontend's
// folder, the mode, the engine, the server's origin, the origin of its own site, and a folder with the own site, as
// `site`, and the certificate of `clave serve`. Without an own site there is no redirect.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { found, inEngine } from './engines.mjs'
import { pageOf, servePage } from './signin.mjs'

const [frontend, mode, engine, auth, own, folder] = process.argv.slice(2)
const id = mode === 'start' ? 'google.com' : 'oidc.acme'
const program = `
import { initializeApp } from 'firebase/app'
import {
  connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, OAuthProvider, reauthenticateWithPopup, signInWithPopup,
  signInWithRedirect, unlink,
} from 'firebase/auth'
// The SDK waits ten seconds after the user closed a popup, in two timers. They are shorter while a flow is in a hurry.
const later = window.setTimeout
window.setTimeout = (call, wait, ...values) => later(call, window.hurry && [2000, 8000].includes(wait) ? 100 : wait, ...values)
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: '${mode === 'start' ? 'demo-e2e' : 'fundacion-e2e'}', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const providers = (user) => user.providerData.map((p) => p.providerId).sort()
const told = (result) => [result.user.email, providers(result.user)]
// The SDK gives up a frame after five seconds, which a loaded machine may exceed.
const outcome = async (call) => {
  for (;;) {
    const result = await call().then(told, (error) => error.code)
    if (result !== 'auth/network-request-failed') return result
  }
}
const verbs = {
  signIn: (p) => signInWithPopup(auth, p), link: (p) => linkWithPopup(auth.currentUser, p), again: (p) => reauthenticateWithPopup(auth.currentUser, p),
  redirect: (p) => signInWithRedirect(auth, p),
}
const go = (verb, id, parameters) => verbs[verb](new OAuthProvider(id).setCustomParameters(parameters))
window.outcomes = {}
window.begin = (verb, id, parameters) => {
  outcome(() => go(verb, id, parameters)).then((result) => (outcomes[parameters.mark] = [result]))
  return true
}
window.create = (email) => createUserWithEmailAndPassword(auth, email, 'secreta1').then(told)
window.unlinked = () => unlink(auth.currentUser, '${id}').then(providers)
window.user = () => auth.currentUser?.email
window.redirect = (id, parameters) => {
  window.left = true
  go('redirect', id, parameters)
  return true
}
window.result = () => getRedirectResult(auth).then((r) => r && told(r), (error) => error.code)
window.probe = (url) => new Promise((done) => {
  addEventListener('message', ({ data }) => data.seen && done(data.seen))
  const frame = document.createElement('iframe')
  frame.src = url
  document.body.append(frame)
})
// abandon opens a frame like the SDK's, before the SDK does, as after a slow load.
window.abandon = () => new Promise((done) => {
  const frame = document.createElement('iframe')
  frame.src = auth.emulatorConfig.protocol + '://' + auth.emulatorConfig.host + ':' + auth.emulatorConfig.port +
    '/emulator/auth/iframe?' + new URLSearchParams({ apiKey: 'k', appName: auth.app.name, popups: 'own' })
  frame.onload = () => done(true)
  document.body.append(frame)
})
window.google = () => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('google.com'))
window.ready = true
`
// probe stores values, and reports to the page around it which of them it sees.
const probe = `<!doctype html><title>probe</title><script>
if (location.search === '?store') {
  localStorage.probe = sessionStorage.probe = 'kept'
  document.cookie = 'probe=kept; SameSite=None; Secure'
} else {
  const reads = { local: () => localStorage.probe, session: () => sessionStorage.probe, cookie: () => document.cookie }
  const seen = Object.keys(reads).filter((name) => {
    try {
      return reads[name]()
    } catch {
      return false
    }
  })
  parent.postMessage({ seen }, '*')
}
</script>`
const library = (origin) => `<script src="${origin}/emulator/auth/popups.js"></script>`
const site = await servePage(frontend, program, {
  tls: mode === 'serve' ? folder : undefined,
  head: (url) => library(url.searchParams.get('auth')),
  more: { '/probe': probe },
})
const origin = `${mode === 'serve' ? 'https' : 'http'}://localhost:${site.port}`

// until waits until an expression is true in a tab, which may be navigating, and returns its value.
const until = (tab, expression) => found(expression, () => tab.run(expression))

// choose chooses an account in the page of `clave start`, or makes one up.
async function choose(tab, email) {
  await until(tab, "document.readyState === 'complete' && document.getElementById('main-form') !== null")
  const act = (email) => {
    const known = [...document.querySelectorAll('.js-reuse-account')].find((item) => item.querySelector('#reuse-email').textContent === email)
    if (known) return known.click()
    document.querySelector('.js-new-account').click()
    document.getElementById('email-input').value = email
    document.getElementById('sign-in').click()
  }
  await tab.run(called(`void (${act})`, email)).catch(() => {}) // the page closes or leaves
}

// called returns a call of a function of the page.
const called = (name, ...values) => `${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`

let marks = 0
// begin begins a flow by popup as a user, and returns its mark, which the popup's address has.
async function begin(tab, verb, email, { more = {}, provider = id } = {}) {
  const mark = `mark${++marks}.`
  await tab.run(called('begin', verb, provider, { login_hint: email, mark, ...more }))
  return mark
}
// ended returns the outcome of a flow.
const ended = async (tab, mark) => (await until(tab, `outcomes['${mark}']`))[0]

try {
  await inEngine(engine, frontend, async (browser) => {
    const open = async (tab, page, auth) => {
      await tab.open(`${page}?auth=${encodeURIComponent(auth)}`)
      await until(tab, 'window.ready')
    }
    // flow goes through a flow by popup as a user, and returns its outcome.
    const flow = async (tab, verb, email, options) => {
      const mark = await begin(tab, verb, email, options)
      // Without a popup, the flow ends with an error.
      const acted = mode === 'start' ? browser.popup(mark).then((popup) => choose(popup, email)) : undefined
      return Promise.race([ended(tab, mark), Promise.resolve(acted).then(() => ended(tab, mark))])
    }
    // step goes through a flow that the modes have. The table in server/doc/providers.md has the steps.
    const step = async (name, modes, drive) => {
      if (!modes.includes(mode)) return
      await drive().catch((cause) => {
        throw new Error(`${name}: ${cause.message}`, { cause })
      })
    }
    const as = (name) => [`${name}@example.com`, [id]]
    const [ann, bea, cid] = ['ann', 'bea', 'cid'].map(as)
    const dan = ['dan@example.org', ['password']]
    const thinking = { more: { wait: 'yes' } }

    await step('frames of other sites have no storage', 'serve', async () => {
      const other = origin.replace('localhost', '127.0.0.1') // the same server as another site
      await browser.open(`${other}/probe?store`)
      await until(browser, "localStorage.probe === 'kept' && sessionStorage.probe === 'kept' && document.cookie === 'probe=kept'")
      await open(browser, `${origin}/`, auth)
      // Firefox refuses only what outlives the tab.
      assert.deepEqual(await browser.run(`probe('${other}/probe')`), engine === 'firefox' ? ['session'] : [])
    })
    await open(browser, `${origin}/`, auth)
    await step('sign in', 'serve, start', async () => assert.deepEqual(await flow(browser, 'signIn', ann[0]), ann))
    await step('reauthenticate', 'serve, start', async () => assert.deepEqual(await flow(browser, 'again', ann[0]), ann))
    await step('reauthenticate beside a frame that the SDK gave up', 'serve, start', async () => {
      await open(browser, `${origin}/`, auth)
      await until(browser, `user() === '${ann[0]}'`)
      await browser.run('abandon()')
      assert.deepEqual(await flow(browser, 'again', ann[0]), ann)
    })
    await step('reauthenticate as another user', 'serve, start', async () => assert.equal(await flow(browser, 'again', bea[0]), 'auth/user-mismatch'))
    await step('unlink', 'serve, start', async () => assert.deepEqual(await browser.run('unlinked()'), []))
    await step('link', 'serve, start', async () => assert.deepEqual(await flow(browser, 'link', ann[0]), ann))
    await step('cancel at the provider', 'serve', async () =>
      assert.equal(await flow(browser, 'signIn', ann[0], { more: { refuse: 'yes' } }), 'auth/user-cancelled'))
    await step('cancel by closing the popup', 'serve, start', async () => {
      await browser.run('window.hurry = true')
      const mark = await begin(browser, 'again', ann[0], thinking)
      await (await browser.popup(mark)).close()
      assert.equal(await ended(browser, mark), 'auth/popup-closed-by-user')
      await browser.run('window.hurry = false')
    })
    await step('cancel by another popup', 'serve, start', async () => {
      const mark = await begin(browser, 'again', ann[0], thinking)
      await browser.popup(mark)
      assert.deepEqual(await flow(browser, 'again', ann[0]), ann)
      assert.equal(await ended(browser, mark), 'auth/cancelled-popup-request')
    })
    await step('two tabs', 'serve, start', async () => {
      const tab = await browser.tab()
      await open(tab, `${origin}/`, auth)
      await until(tab, `user() === '${ann[0]}'`)
      // Each tab has its own popup, and both have the user of the last sign-in.
      assert.deepEqual(await Promise.all([flow(browser, 'signIn', bea[0]), flow(tab, 'signIn', cid[0])]), [bea, cid])
      assert.deepEqual(await flow(tab, 'signIn', ann[0]), ann)
      await until(browser, `user() === '${ann[0]}'`)
      await tab.close()
    })
    await step('conflict: the address has an account', 'serve', async () => {
      // The other provider does not prove the address.
      assert.equal(await flow(browser, 'signIn', `unverified:${ann[0]}`, { provider: 'oidc.other' }), 'auth/account-exists-with-different-credential')
    })
    await step('conflict: the user has an account', 'serve, start', async () => {
      assert.deepEqual(await browser.run(`create('${dan[0]}')`), dan)
      assert.equal(await flow(browser, 'link', ann[0]), 'auth/credential-already-in-use')
    })
    await step('link to a password', 'serve, start', async () => assert.deepEqual(await flow(browser, 'link', 'eve@example.com'), [dan[0], [id, 'password'].sort()]))
    assert.deepEqual(await browser.run('google()'), [])

    if (!own) return
    writeFileSync(path.join(folder, 'site', 'page.js'), site.script)
    writeFileSync(path.join(folder, 'site', 'signin.html'), pageOf(library('')))
    await open(browser, `${own}/signin.html`, own)
    await step('redirect', 'serve, start', async () => {
      await browser.run(called('redirect', id, { login_hint: ann[0] })).catch(() => {}) // the page navigates away
      if (mode === 'start') await choose(browser, ann[0])
      await until(browser, "location.pathname === '/signin.html' && window.ready && !window.left")
      assert.deepEqual(await browser.run('result()'), ann)
    })
    assert.deepEqual(await browser.run('google()'), [])
  })
} finally {
  site.close()
}
// Puppeteer keeps the process for its limit of time if a window closed while it opened.
process.exit()
