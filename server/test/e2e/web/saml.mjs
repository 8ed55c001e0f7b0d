// Signs in at SAML providers with the site's SDK in Chromium: by popup, by redirect, in a tenant, again, linked, unlinked,
// and refused. Arguments: the frontend's folder, the server's origin, the provider's origin, and the tenant.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth, provider, tenant] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import { connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithCredential, linkWithPopup, reauthenticateWithPopup, reauthenticateWithRedirect, SAMLAuthProvider, signInWithCredential, signInWithEmailAndPassword, signInWithPopup, signInWithRedirect, signOut, unlink } from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const corp = (id) => new SAMLAuthProvider(id || 'saml.corp')
const told = async (result) => {
  const { claims } = await result.user.getIdTokenResult()
  const linked = result.user.providerData.map((p) => p.providerId)
  return [result.user.email, result.user.tenantId, linked, claims.firebase.sign_in_provider, Boolean(claims.firebase.sign_in_attributes)]
}
const failed = (error) => error.code
window.popup = (id) => signInWithPopup(auth, corp(id)).then(told, failed)
window.inTenant = (tenant) => {
  auth.tenantId = tenant
  return window.popup('saml.tenant').finally(() => { auth.tenantId = null })
}
window.redirect = () => signInWithRedirect(auth, corp())
window.again = () => reauthenticateWithPopup(auth.currentUser, corp()).then(told, failed)
window.againByRedirect = () => reauthenticateWithRedirect(auth.currentUser, corp())
window.result = () => getRedirectResult(auth).then((r) => r && told(r), failed)
window.link = async (email) => {
  await createUserWithEmailAndPassword(auth, email, 'secreta1')
  return linkWithPopup(auth.currentUser, corp()).then(told, failed)
}
window.unlinked = () => unlink(auth.currentUser, 'saml.corp').then((u) => u.providerData.map((p) => p.providerId), failed)
window.profile = (id) => signInWithPopup(auth, corp(id)).then((r) => r._tokenResponse.rawUserInfo, failed)
// The account has the address already: the user signs in by password and links the credential of the error.
window.conflict = async (email) => {
  await createUserWithEmailAndPassword(auth, email, 'secreta1')
  await signOut(auth)
  const error = await signInWithPopup(auth, corp('saml.some')).catch((error) => error)
  const credential = SAMLAuthProvider.credentialFromError(error)
  const { user } = await signInWithEmailAndPassword(auth, email, 'secreta1')
  const linked = await linkWithCredential(user, credential).then(told, failed)
  return [error.code, linked, await signInWithCredential(auth, credential).then(told, failed)]
}
window.credential = () => signInWithPopup(auth, corp()).then((r) => signInWithCredential(auth, SAMLAuthProvider.credentialFromResult(r))).then(told, failed)
window.ready = true
`

await signIn(frontend, program, async ({ page, origin, open }) => {
  const as = async (name) => assert.equal((await fetch(`${provider}/as/${name}`)).status, 200)
  const back = async (call) => {
    await page.evaluate(`window.left = true; void ${call}`).catch(() => {}) // the page navigates away
    await page.waitForFunction((origin) => location.origin === origin && window.ready && !window.left, origin)
    return page.evaluate('result()')
  }
  const ann = ['ann@corp.example', null, ['saml.corp'], 'saml.corp', true]
  await open(auth)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  assert.match(JSON.stringify(await page.evaluate('profile()')), /familyName|surname/i)
  assert.deepEqual(await page.evaluate('again()'), ann)
  assert.deepEqual(await back('redirect()'), ann)
  assert.deepEqual(await back('againByRedirect()'), ann)

  await as('bea')
  assert.equal(await page.evaluate('again()'), 'auth/user-mismatch')
  await as('dan')
  const [email, , linked] = await page.evaluate("link('dan@example.com')")
  assert.deepEqual([email, [...linked].sort()], ['dan@example.com', ['password', 'saml.corp']])
  assert.deepEqual(await page.evaluate('unlinked()'), ['password'])
  await as('ann')
  assert.equal(await page.evaluate("link('cid@example.com')"), 'auth/credential-already-in-use')

  const inTenant = await page.evaluate(`inTenant(${JSON.stringify(tenant)})`)
  assert.deepEqual(inTenant, ['ann@corp.example', tenant, ['saml.tenant'], 'saml.tenant', true])
  assert.equal(await page.evaluate("popup('saml.tenant')"), 'auth/operation-not-allowed')

  assert.deepEqual(await page.evaluate('credential()'), ann)
  await as('eve')
  const [code, linked2, again] = await page.evaluate("conflict('eve@corp.example')")
  assert.equal(code, 'auth/account-exists-with-different-credential')
  assert.deepEqual([...linked2[2]].sort(), ['password', 'saml.some'])
  assert.equal(again, 'auth/invalid-credential') // The credential is valid once.

  await as('nobody')
  assert.equal(await page.evaluate('popup()'), 'auth/invalid-credential')
})
