// Drives the real Firebase JS SDK through the flows of Auth against the server at AUTH_URL. Prints one line a flow that
// failed and exits with 1 when there is one. SDK_FROM is a package.json beside which the SDK is installed.
import { createRequire } from 'node:module'

const require = createRequire(process.env.SDK_FROM)
const { initializeApp } = require('firebase/app')
const A = require('firebase/auth')

const base = process.env.AUTH_URL
const auth = A.initializeAuth(initializeApp({ apiKey: 'demo', projectId: 'demo-test', authDomain: 'demo' }))
A.connectAuthEmulator(auth, base, { disableWarnings: true })

let failures = 0
const fail = (name, text) => {
  failures++
  console.log(`${name}: ${text}`)
}
/** Runs a flow and compares what it answers. */
const flow = async (name, want, run) => {
  try {
    const got = JSON.stringify(await run())
    if (got !== JSON.stringify(want)) fail(name, `got ${got}, want ${JSON.stringify(want)}`)
  } catch (e) {
    fail(name, e.code ?? e.stack)
  }
}
/** Runs a flow that must be refused with a code. */
const refused = async (name, code, run) => {
  try {
    await run()
    fail(name, 'was not refused')
  } catch (e) {
    if (e.code !== code) fail(name, `got ${e.code}, want ${code}`)
  }
}
const get = async (what) => (await (await fetch(`${base}/emulator/v1/projects/demo-test/${what}`)).json())[what].at(-1)
const code = async () => (await get('oobCodes')).oobCode
const nextSecond = () => new Promise((done) => setTimeout(done, 1010 - (Date.now() % 1000))) // validSince has seconds only
const user = () => auth.currentUser
const mail = 'ann@example.com'
let changes = 0
A.onIdTokenChanged(auth, () => changes++)

await flow('anonymous', true, async () => (await A.signInAnonymously(auth)).user.isAnonymous)
await flow('upgrade', [false, mail], async () => {
  const { user } = await A.linkWithCredential(auth.currentUser, A.EmailAuthProvider.credential(mail, 'secret1'))
  return [user.isAnonymous, user.email]
})
await flow('profile', 'Ann', async () => {
  await A.updateProfile(user(), { displayName: 'Ann' })
  await user().reload()
  return user().displayName
})
await flow('refresh', 'Ann', async () => (await user().getIdTokenResult(true)).claims.name)
await flow('verification', true, async () => {
  await A.sendEmailVerification(user())
  if ((await A.checkActionCode(auth, await code())).operation !== 'VERIFY_EMAIL') throw new Error('wrong operation')
  await A.applyActionCode(auth, await code())
  await user().reload()
  return user().emailVerified
})
await flow('new password', undefined, () => A.updatePassword(user(), 'secret2'))
await flow('reauthenticate', mail, async () => (await A.reauthenticateWithCredential(user(), A.EmailAuthProvider.credential(mail, 'secret2'))).user.email)
await refused('wrong password', 'auth/invalid-credential', () => A.signInWithEmailAndPassword(auth, mail, 'wrong12'))
await refused('unknown address', 'auth/invalid-credential', () => A.signInWithEmailAndPassword(auth, 'x@example.com', 'wrong12'))
await refused('weak password', 'auth/weak-password', () => A.createUserWithEmailAndPassword(auth, 'w@example.com', '123'))
await refused('taken address', 'auth/email-already-in-use', () => A.createUserWithEmailAndPassword(auth, mail, 'secret1'))
await refused('unverified change', 'auth/operation-not-allowed', () => A.updateEmail(user(), 'x@example.com'))
await flow('policy', true, async () => (await A.validatePassword(auth, 'secret1')).isValid)
await flow('reset', mail, async () => {
  await A.sendPasswordResetEmail(auth, mail)
  const address = await A.verifyPasswordResetCode(auth, await code())
  await A.confirmPasswordReset(auth, await code(), 'secret3')
  return address
})
await refused('used code', 'auth/invalid-action-code', () => A.confirmPasswordReset(auth, 'used', 'secret3'))
await flow('sign-in', mail, async () => (await A.signInWithEmailAndPassword(auth, mail, 'secret3')).user.email)
await flow('methods are not told', [], () => A.fetchSignInMethodsForEmail(auth, mail))
await flow('link', ['google.com', 'password'], async () => {
  const { user } = await A.linkWithCredential(auth.currentUser, A.GoogleAuthProvider.credential('{"sub":"g1"}'))
  return user.providerData.map((p) => p.providerId)
})
await flow('unlink', ['password'], async () => (await A.unlink(user(), 'google.com')).providerData.map((p) => p.providerId))
await nextSecond()
await flow('verified change', undefined, async () => {
  await A.verifyBeforeUpdateEmail(user(), 'new@example.com')
  const { oobCode } = await get('oobCodes')
  await A.applyActionCode(auth, oobCode)
})
await refused('session after the change', 'auth/user-token-expired', () => user().reload())
await flow('signed out by it', null, async () => user())
await flow('e-mail link', 'link@example.com', async () => {
  await A.sendSignInLinkToEmail(auth, 'link@example.com', { url: 'http://localhost/x', handleCodeInApp: true })
  const { oobLink } = await get('oobCodes')
  if (!A.isSignInWithEmailLink(auth, oobLink)) throw new Error('no sign-in link')
  return (await A.signInWithEmailLink(auth, 'link@example.com', oobLink)).user.email
})
await flow('authenticator', [6, 30], async () => {
  const secret = await A.TotpMultiFactorGenerator.generateSecret(await A.multiFactor(user()).getSession())
  return [secret.codeLength, secret.codeIntervalSeconds]
})
await flow('custom token', ['custom1', 1], async () => {
  const part = (o) => Buffer.from(JSON.stringify(o)).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit'
  const token = `${part({ alg: 'none' })}.${part({ iss: 'a@b', sub: 'a@b', aud, iat, exp: iat + 3600, uid: 'custom1', claims: { a: 1 } })}.`
  const { user } = await A.signInWithCustomToken(auth, token)
  return [user.uid, (await user.getIdTokenResult()).claims.a]
})
await flow('delete', null, async () => {
  await A.deleteUser(user())
  return user()
})
if (changes < 10) fail('onIdTokenChanged', `heard ${changes} changes`)
process.exit(failures > 0 ? 1 : 0)
