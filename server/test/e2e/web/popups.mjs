// Signs in with the site's SDK in an engine, without Google's library and with the storage of frames of other sites
// refused: by popup, again, refused by the user, linked again and in conflict, and by redirect at the server's own site.
// Arguments: the frontend's folder, the engine, the server's origin, and its folder, with its certificate and its site.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { inEngine } from './engines.mjs'
import { pageOf, servePage } from './signin.mjs'

const [frontend, engine, auth, folder] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import {
  connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, OAuthProvider, reauthenticateWithPopup, signInWithPopup,
  signInWithRedirect, unlink,
} from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const acme = () => new OAuthProvider('oidc.acme')
const providers = (user) => user.providerData.map((p) => p.providerId)
const told = (result) => [result.user.email, providers(result.user)]
// The SDK gives up a frame after five seconds, which a loaded machine may exceed.
const outcome = async (call) => {
  for (;;) {
    const result = await call().then(told, (error) => error.code)
    if (result !== 'auth/network-request-failed') return result
  }
}
window.popup = () => outcome(() => signInWithPopup(auth, acme()))
window.again = () => outcome(() => reauthenticateWithPopup(auth.currentUser, acme()))
window.refused = () => outcome(() => signInWithPopup(auth, acme().setCustomParameters({ refuse: 'yes' })))
window.relinked = async () => {
  const left = providers(await unlink(auth.currentUser, 'oidc.acme'))
  return [left, await outcome(() => linkWithPopup(auth.currentUser, acme()))]
}
window.conflict = async (email) => {
  await createUserWithEmailAndPassword(auth, email, 'secreta1')
  return outcome(() => linkWithPopup(auth.currentUser, acme()))
}
window.redirect = () => signInWithRedirect(auth, acme())
window.result = () => getRedirectResult(auth).then((r) => r && told(r), (error) => error.code)
window.probe = (url) => new Promise((done) => {
  addEventListener('message', ({ data }) => data.seen && done(data.seen))
  const frame = document.createElement('iframe')
  frame.src = url
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
  tls: folder,
  head: (url) => library(url.searchParams.get('auth')),
  more: { '/probe': probe },
})
const origin = `https://localhost:${site.port}`
// other is the same server as another site.
const other = origin.replace('localhost', '127.0.0.1')

// until waits until an expression is true in a window, which may be navigating.
async function until(window, expression) {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
    if (await window.run(expression).catch(() => false)) return
  }
  throw new Error(`never true: ${expression}`)
}

try {
  await inEngine(engine, frontend, async (window) => {
    const open = async (page, auth) => {
      await window.open(`${page}?auth=${encodeURIComponent(auth)}`)
      await until(window, 'window.ready')
    }
    const ann = ['ann@example.com', ['oidc.acme']]

    await window.open(`${other}/probe?store`)
    await until(window, "localStorage.probe === 'kept' && sessionStorage.probe === 'kept' && document.cookie === 'probe=kept'")
    await open(`${origin}/`, auth)
    // Firefox refuses only what outlives the tab.
    assert.deepEqual(await window.run(`probe('${other}/probe')`), engine === 'firefox' ? ['session'] : [], 'a frame of another site sees its storage')
    assert.deepEqual(await window.run('popup()'), ann)
    assert.deepEqual(await window.run('again()'), ann)
    assert.equal(await window.run('refused()'), 'auth/user-cancelled')
    assert.deepEqual(await window.run('relinked()'), [[], ann])
    assert.equal(await window.run(`conflict('${engine}@example.com')`), 'auth/credential-already-in-use')
    assert.deepEqual(await window.run('google()'), [])

    const own = auth.replace('127.0.0.1', 'localhost')
    writeFileSync(path.join(folder, 'site', 'page.js'), site.script)
    writeFileSync(path.join(folder, 'site', 'signin.html'), pageOf(library('')))
    await open(`${own}/signin.html`, own)
    await window.run('void (window.left = true, redirect())').catch(() => {}) // the page navigates away
    await until(window, "location.pathname === '/signin.html' && window.ready && !window.left")
    assert.deepEqual(await window.run('result()'), ann)
    assert.deepEqual(await window.run('google()'), [])
  })
} finally {
  site.close()
}
