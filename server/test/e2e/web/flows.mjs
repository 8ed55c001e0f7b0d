// The flows of the web SDK's own browser tests, packages/auth/test/integration/webdriver/popup.test.ts and
// redirect.test.ts of firebase-js-sdk, with a provider of OpenID Connect, each by popup and by redirect, with the modular
// and with the compat SDK. They have the names that they have there. Two are gone through with the compat SDK and
// the server's script instead of Google's too. Arguments: the frontend's folder and the server's origin.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import * as m from 'firebase/auth'
import firebase from 'firebase/compat/app'
import 'firebase/compat/auth'
const query = new URLSearchParams(location.search)
const config = { apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }

function modular() {
  const auth = m.getAuth(initializeApp(config))
  m.connectAuthEmulator(auth, query.get('auth'), { disableWarnings: true })
  return {
    auth,
    provider: (id) => new m.OAuthProvider(id),
    popup: { signIn: (p) => m.signInWithPopup(auth, p), link: (p) => m.linkWithPopup(auth.currentUser, p), again: (p) => m.reauthenticateWithPopup(auth.currentUser, p) },
    redirect: { signIn: (p) => m.signInWithRedirect(auth, p), link: (p) => m.linkWithRedirect(auth.currentUser, p), again: (p) => m.reauthenticateWithRedirect(auth.currentUser, p) },
    result: () => m.getRedirectResult(auth),
    anonymous: () => m.signInAnonymously(auth),
    create: (email) => m.createUserWithEmailAndPassword(auth, email, 'secreta1'),
    signOut: () => m.signOut(auth),
    credential: (result) => m.OAuthProvider.credentialFromResult(result),
    errorCredential: (error) => m.OAuthProvider.credentialFromError(error),
    signInWith: (credential) => m.signInWithCredential(auth, credential),
    linkWith: (credential) => m.linkWithCredential(auth.currentUser, credential),
  }
}

function compat() {
  const auth = firebase.initializeApp(config).auth()
  auth.useEmulator(query.get('auth'), { disableWarnings: true })
  return {
    auth,
    provider: (id) => new firebase.auth.OAuthProvider(id),
    popup: { signIn: (p) => auth.signInWithPopup(p), link: (p) => auth.currentUser.linkWithPopup(p), again: (p) => auth.currentUser.reauthenticateWithPopup(p) },
    redirect: { signIn: (p) => auth.signInWithRedirect(p), link: (p) => auth.currentUser.linkWithRedirect(p), again: (p) => auth.currentUser.reauthenticateWithRedirect(p) },
    result: () => auth.getRedirectResult(),
    anonymous: () => auth.signInAnonymously(),
    create: (email) => auth.createUserWithEmailAndPassword(email, 'secreta1'),
    signOut: () => auth.signOut(),
    credential: (result) => result.credential,
    // An error of a redirect has no credential in compat.
    errorCredential: (error) => error.credential ?? m.OAuthProvider.credentialFromError(error),
    signInWith: (credential) => auth.signInWithCredential(credential),
    linkWith: (credential) => auth.currentUser.linkWithCredential(credential),
  }
}

const sdk = query.get('sdk') === 'compat' ? compat() : modular()
let last // the last result or error
const user = () => {
  const u = sdk.auth.currentUser
  return u && {
    uid: u.uid, email: u.email, name: u.displayName, photo: u.photoURL, verified: u.emailVerified, anonymous: u.isAnonymous,
    providers: u.providerData.map((p) => p.providerId).sort(), data: u.providerData.map((p) => ({ ...p })),
  }
}
const settled = async (call) => {
  for (;;) {
    last = await call().catch((error) => error)
    // The SDK gives up a frame after five seconds, which a loaded machine may exceed.
    if (last?.code !== 'auth/network-request-failed') return { code: last?.code, operation: last?.operationType, email: last?.user?.email, user: user() }
  }
}
const provider = (id, parameters) => sdk.provider(id).setCustomParameters(parameters)
window.popup = (verb, id, parameters) => settled(() => sdk.popup[verb](provider(id, parameters)))
window.redirect = (verb, id, parameters) => sdk.redirect[verb](provider(id, parameters))
window.result = () => settled(() => sdk.result())
window.user = user
window.anonymous = () => sdk.anonymous().then(user)
window.create = (email) => sdk.create(email).then(user)
window.leave = () => sdk.signOut()
window.credential = () => {
  window.kept = sdk.credential(last)
  return [typeof kept.accessToken, typeof kept.idToken, kept.signInMethod]
}
window.signInWithCredential = () => sdk.signInWith(kept).then(user)
window.linkWithError = () => sdk.linkWith(sdk.errorCredential(last)).then(user)
window.block = () => m.beforeAuthStateChanged(sdk.auth, () => { throw new Error('blocked') })
const stop = sdk.auth.onAuthStateChanged(() => {
  stop()
  window.ready = true
})
`

// A flow gets a tab: {kind, sdk, at, go, run}. go signs in, links or reauthenticates by popup or by redirect as a user of a
// provider, and returns the outcome; run calls a function of the page; at returns an address of this flow.
const flows = {
  'allows users to sign in': async ({ kind, at, go, run }) => {
    const { operation, email, user } = await go('signIn', at('bob'))
    assert.deepEqual([operation, email, user.email, user.name, user.photo], ['signIn', at('bob'), at('bob'), 'Bob Test', 'http://bob.test/bob.png'])
    if (kind === 'redirect') assert.equal((await run('result')).email, undefined) // It has been read.
  },
  'can link with another account account': async ({ at, go, run }) => {
    const { uid } = await run('anonymous')
    const { user } = await go('link', at('bob'))
    assert.deepEqual([user.uid, user.email], [uid, at('bob')])
  },
  'can be converted to a credential': async ({ at, go, run }) => {
    const first = (await go('signIn', at('bob'))).user
    assert.deepEqual(await run('credential'), ['string', 'string', 'oidc.acme'])
    await run('leave')
    const second = await run('signInWithCredential')
    assert.deepEqual([second.uid, second.data], [first.uid, first.data])
  },
  'handles account exists different credential errors': async ({ at, go, run }) => {
    const { user } = await go('signIn', at('bob'))
    assert.equal(user.verified, true)
    assert.equal((await go('signIn', `unverified:${at('bob')}`, 'oidc.other')).code, 'auth/account-exists-with-different-credential')
    const linked = await run('linkWithError')
    assert.deepEqual([linked.uid, linked.providers], [user.uid, ['oidc.acme', 'oidc.other']])
  },
  'does not auto-upgrade anon accounts': async ({ at, go, run }) => {
    const { uid } = await run('anonymous')
    assert.notEqual((await go('signIn', at('bob'))).user.uid, uid)
  },
  'linking with anonymous user upgrades account': async ({ at, go, run }) => {
    const { uid } = await run('anonymous')
    const { user } = await go('link', at('bob'))
    assert.deepEqual([user.uid, user.anonymous], [uid, false])
  },
  'is possible to link with different email': async ({ at, go, run }) => {
    const { uid } = await run('create', at('user'))
    const { user } = await go('link', at('other'))
    assert.deepEqual([user.uid, user.verified, user.providers], [uid, false, ['oidc.acme', 'password']])
  },
  'is possible to link with the same email': async ({ at, go, run }) => {
    const { uid } = await run('create', at('user'))
    const { user } = await go('link', at('user'))
    assert.deepEqual([user.uid, user.verified, user.providers], [uid, true, ['oidc.acme', 'password']])
  },
  // «a user can sign in again», «reauthenticate works for the correct user» and «reauthenticate throws for wrong user»
  'with existing user': async ({ at, go, run }) => {
    await go('signIn', at('sally'))
    const { user } = await go('signIn', at('bob'))
    await run('leave')
    assert.equal((await go('signIn', at('bob'))).user.uid, user.uid)
    const again = await go('again', at('bob'))
    assert.deepEqual([again.operation, again.user.uid, again.user.email], ['reauthenticate', user.uid, at('bob')])
    assert.equal((await go('again', at('sally'))).code, 'auth/user-mismatch')
  },
  'handles aborted sign ins': async ({ at, go, run, abort }) => {
    await abort('signIn')
    assert.equal(await run('user'), null)
    const { user } = await go('signIn', at('bob'))
    await abort('again')
    assert.equal((await run('user')).uid, user.uid)
  },
  'is blocked by auth middleware': async ({ kind, sdk, at, go, run }) => {
    if (kind === 'redirect' || sdk === 'compat') return // as there: by popup only, and compat has no middleware
    await run('block')
    const { code, user } = await go('signIn', at('bob'))
    assert.deepEqual([code, user], ['auth/login-blocked', null])
  },
}

const head = ({ searchParams }) => (searchParams.get('script') === 'Clave' ? `<script src="${auth}/emulator/auth/popups.js"></script>` : undefined)

await signIn(frontend, program, async ({ context, origin, gapi }) => {
  // drive goes through flows in a window of their own, which is another client for the server.
  const drive = async (kind, sdk, number, names, script = 'Google') => {
    const own = await context.browser().newContext({ extraHTTPHeaders: { 'X-Forwarded-For': `192.0.2.${number}` } })
    if (script === 'Google') await gapi(own)
    else await own.route('https://apis.google.com/**', () => assert.fail('the page loads a script of Google'))
    const page = await own.newPage()
    page.setDefaultTimeout(120_000)
    const address = `${origin}/?auth=${encodeURIComponent(auth)}&sdk=${sdk}&script=${script}`
    const run = (name, ...values) => page.evaluate(([name, values]) => window[name](...values), [name, values])
    const open = async () => {
      await page.goto(address)
      await page.waitForFunction(() => window.ready)
    }
    const begin = (verb, id, parameters) => {
      const values = JSON.stringify([verb, id, parameters]).slice(1, -1)
      return page.evaluate(`window.left = true; void redirect(${values})`).catch(() => {}) // the page navigates away
    }
    const ways = {
      popup: {
        go: (verb, hint, id = 'oidc.acme') => run('popup', verb, id, { login_hint: hint }),
        abort: async (verb) => {
          const opened = own.waitForEvent('page')
          const outcome = run('popup', verb, 'oidc.acme', { wait: 'yes' })
          const popup = await opened
          await popup.getByText('The user thinks.').waitFor()
          await popup.close()
          assert.equal((await outcome).code, 'auth/popup-closed-by-user')
        },
      },
      redirect: {
        go: async (verb, hint, id = 'oidc.acme') => {
          await begin(verb, id, { login_hint: hint })
          await page.waitForFunction((origin) => location.origin === origin && window.ready && !window.left, origin)
          return run('result')
        },
        abort: async (verb) => {
          await begin(verb, 'oidc.acme', { wait: 'yes' })
          await page.getByText('The user thinks.').waitFor()
          await open()
          await run('result')
        },
      },
    }
    for (const name of names) {
      await open()
      await run('leave')
      const at = (who) => `${who}@${number}-${Object.keys(flows).indexOf(name)}.test`
      try {
        await flows[name]({ kind, sdk, at, run, ...ways[kind] })
      } catch (failure) {
        throw new Error(`${name}, by ${kind}, ${sdk}, script of ${script}: ${failure.message}`, { cause: failure })
      }
    }
    await own.close()
  }
  // The SDK waits for eight seconds after a closed popup: meanwhile the other flows run.
  const slow = ['handles aborted sign ins']
  const rest = Object.keys(flows).filter((name) => !slow.includes(name))
  let number = 0
  const all = ['modular', 'compat'].flatMap((sdk) => ['popup', 'redirect'].flatMap((kind) => [slow, rest].map((names) => drive(kind, sdk, ++number, names))))
  const ours = ['allows users to sign in', 'linking with anonymous user upgrades account']
  for (const kind of ['popup', 'redirect']) all.push(drive(kind, 'compat', ++number, ours, 'Clave'))
  await Promise.all(all)
  console.log(`${number} windows went through ${Object.keys(flows).length} flows`)
}, { head })
