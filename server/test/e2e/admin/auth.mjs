// Every call of Auth of firebase-admin on `clave serve`: accounts, tokens, cookies, links, imports, providers and the
// configuration of the project. tenants.mjs calls them in a tenant.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { claveApp } from 'clave/admin'
import { address, ca, client, json, key, methods, nextSecond, phone, refused, rejects, signIn, signInCustom, tracked, unique, url } from './setup.mjs'
import { certificates, hashes } from './samples.mjs'

const app = claveApp({ key, ca, firestore: false })
const plain = getAuth(app)
const called = new Set()
const auth = tracked(plain, 'Auth.', called)
const config = tracked(plain.projectConfigManager(), 'ProjectConfigManager.', called)

after(() => deleteApp(app))

test('createUser, getUser…, updateUser, deleteUser', async () => {
  const [email, phoneNumber, uid] = [address(), phone(), unique('user')]
  const made = await auth.createUser({ uid, email, phoneNumber, password: 'secreta1', displayName: 'Ana', photoURL: 'https://example.org/a.png', emailVerified: true, disabled: false })
  assert.deepEqual([made.uid, made.email, made.phoneNumber, made.displayName, made.photoURL, made.emailVerified, made.disabled], [uid, email, phoneNumber, 'Ana', 'https://example.org/a.png', true, false])
  assert.equal(made.metadata.lastRefreshTime, null)
  for (const found of [
    await auth.getUser(uid),
    await auth.getUserByEmail(email.toUpperCase()),
    await auth.getUserByPhoneNumber(phoneNumber),
    await auth.getUserByProviderUid('email', email),
    await auth.getUserByProviderUid('phone', phoneNumber),
  ]) {
    assert.equal(found.uid, uid)
  }
  await rejects(auth.createUser({ uid }), 'auth/uid-already-exists')
  await rejects(auth.createUser({ email }), 'auth/email-already-exists')
  await rejects(auth.createUser({ phoneNumber }), 'auth/phone-number-already-exists')
  await rejects(auth.createUser({ email: address(), password: 'short' }), 'auth/invalid-password')

  const [email2, phone2] = [address(), phone()]
  const changed = await auth.updateUser(uid, { email: email2, phoneNumber: phone2, displayName: null, photoURL: null, emailVerified: false })
  assert.deepEqual([changed.email, changed.phoneNumber, changed.displayName, changed.photoURL, changed.emailVerified], [email2, phone2, undefined, undefined, false])
  assert.equal((await auth.updateUser(uid, { phoneNumber: null })).phoneNumber, undefined)
  await auth.updateUser(uid, { disabled: true, password: 'secreta2' })
  assert.match(await refused('signInWithPassword', { email: email2, password: 'secreta2' }), /^USER_DISABLED/)
  await auth.updateUser(uid, { disabled: false })
  assert.equal((await signIn(email2, 'secreta2')).localId, uid)
  assert.ok((await auth.getUser(uid)).metadata.lastRefreshTime)

  await auth.deleteUser(uid)
  const nobody = unique('nobody')
  await rejects(auth.getUser(uid), 'auth/user-not-found')
  await rejects(auth.getUserByEmail(address()), 'auth/user-not-found')
  await rejects(auth.getUserByPhoneNumber('+18888888888'), 'auth/user-not-found')
  await rejects(auth.getUserByProviderUid('google.com', nobody), 'auth/user-not-found')
  await rejects(auth.updateUser(nobody, { emailVerified: true }), 'auth/user-not-found')
  await rejects(auth.deleteUser(nobody), 'auth/user-not-found')
})

test('second factors and federated providers', async () => {
  const factor = (uid, phoneNumber) => ({ uid, phoneNumber, displayName: uid, factorId: 'phone', enrollmentTime: new Date(1476235905000).toUTCString() })
  const factors = [factor('work', phone()), factor('home', phone())]
  const made = await auth.createUser({
    uid: unique('factors'),
    email: address(),
    emailVerified: true,
    password: 'secreta1',
    multiFactor: { enrolledFactors: factors.map(({ phoneNumber, displayName, factorId }) => ({ phoneNumber, displayName, factorId })) },
  })
  assert.deepEqual(made.multiFactor.enrolledFactors.map((f) => [f.phoneNumber, f.displayName, f.factorId]), factors.map((f) => [f.phoneNumber, f.displayName, 'phone']))
  assert.ok(made.multiFactor.enrolledFactors.every((f) => f.uid && f.enrollmentTime))

  let user = await auth.updateUser(made.uid, { multiFactor: { enrolledFactors: factors } })
  assert.deepEqual(user.toJSON().multiFactor.enrolledFactors, factors)
  user = await auth.updateUser(made.uid, { multiFactor: { enrolledFactors: [factors[0]] } })
  assert.deepEqual(user.toJSON().multiFactor.enrolledFactors, [factors[0]])
  user = await auth.updateUser(made.uid, { multiFactor: { enrolledFactors: null } })
  assert.equal(user.multiFactor, undefined)

  const [google, facebook, number] = [unique('g'), unique('f'), phone()]
  await auth.updateUser(made.uid, { phoneNumber: number, providerToLink: { providerId: 'google.com', uid: google, email: 'ana@gmail.com', displayName: 'Ana' } })
  user = await auth.updateUser(made.uid, { providerToLink: { providerId: 'facebook.com', uid: facebook } })
  assert.deepEqual(user.providerData.map((p) => p.providerId).sort(), ['facebook.com', 'google.com', 'password', 'phone'])
  assert.equal((await auth.getUserByProviderUid('google.com', google)).uid, made.uid)
  user = await auth.updateUser(made.uid, { providersToUnlink: ['google.com', 'facebook.com', 'phone'] })
  assert.deepEqual(user.providerData.map((p) => p.providerId), ['password'])
  assert.deepEqual(await auth.updateUser(made.uid, { providersToUnlink: [] }), user)
  await auth.deleteUser(made.uid)
})

test('getUsers, listUsers, deleteUsers', async () => {
  const prefix = unique('list')
  const uids = ['a', 'b', 'c'].map((name) => `${prefix}-${name}`)
  const emails = uids.map((uid) => `${uid}@example.org`)
  for (const [i, uid] of uids.entries()) await auth.createUser({ uid, email: emails[i], password: 'secreta1' })
  const number = phone()
  await auth.importUsers([{ uid: `${prefix}-d`, phoneNumber: number, providerData: [{ providerId: 'google.com', uid: `${prefix}-google` }] }])

  const wanted = [{ uid: uids[0] }, { email: emails[1] }, { phoneNumber: number }, { providerId: 'google.com', providerUid: `${prefix}-google` }, { uid: uids[0] }, { uid: 'nobody' }]
  const { users, notFound } = await auth.getUsers(wanted)
  assert.deepEqual(users.map((u) => u.uid).sort(), [uids[0], uids[1], `${prefix}-d`])
  assert.deepEqual(notFound, [{ uid: 'nobody' }])
  assert.deepEqual(await auth.getUsers([]), { users: [], notFound: [] })

  const page = await auth.listUsers(2, uids[0])
  assert.deepEqual(page.users.map((u) => u.uid), uids.slice(1))
  assert.ok(page.users.every((u) => u.passwordHash && u.passwordSalt))
  assert.equal(page.pageToken, uids[2])
  let all = []
  for (let token; ; ) {
    const { users: some, pageToken } = await auth.listUsers(3, token)
    all = all.concat(some.map((u) => u.uid))
    if (!pageToken) break
    token = pageToken
  }
  assert.deepEqual(all.filter((uid) => uid.startsWith(prefix)), [...uids, `${prefix}-d`])

  const gone = await auth.deleteUsers([...uids, `${prefix}-d`, 'nobody'])
  assert.deepEqual({ ...gone }, { successCount: 5, failureCount: 0, errors: [] })
  assert.equal((await auth.deleteUsers([uids[0]])).successCount, 1)
  assert.equal((await auth.getUsers(uids.map((uid) => ({ uid })))).users.length, 0)
})

test('createCustomToken, verifyIdToken, setCustomUserClaims, revokeRefreshTokens', async () => {
  const [uid, email] = [unique('token'), address()]
  await auth.createUser({ uid, email, password: 'secreta1' })
  const custom = await signInCustom(await auth.createCustomToken(uid, { level: 3 }))
  const decoded = await auth.verifyIdToken(custom.idToken)
  assert.deepEqual([decoded.uid, decoded.level, decoded.firebase.sign_in_provider], [uid, 3, 'custom'])
  await rejects(auth.verifyIdToken('invalid'), 'auth/argument-error')
  const [head, , signature] = custom.idToken.split('.')
  const other = Buffer.from(JSON.stringify({ ...decoded, uid: undefined, sub: 'eve', user_id: 'eve' })).toString('base64url')
  await rejects(auth.verifyIdToken(`${head}.${other}.${signature}`), 'auth/argument-error')

  await auth.setCustomUserClaims(uid, { admin: true, group: '1' })
  assert.deepEqual((await auth.getUser(uid)).customClaims, { admin: true, group: '1' })
  const session = await signIn(email, 'secreta1')
  assert.equal((await auth.verifyIdToken(session.idToken, true)).admin, true)
  await auth.setCustomUserClaims(uid, null)
  assert.deepEqual((await auth.getUser(uid)).customClaims, {})
  assert.equal((await auth.verifyIdToken((await signIn(email, 'secreta1')).idToken)).admin, undefined)
  await rejects(auth.setCustomUserClaims(unique('nobody'), {}), 'auth/user-not-found')

  await nextSecond()
  await auth.revokeRefreshTokens(uid)
  assert.equal((await auth.verifyIdToken(session.idToken)).uid, uid)
  await rejects(auth.verifyIdToken(session.idToken, true), 'auth/id-token-revoked')
  assert.equal(await refused('lookup', { idToken: session.idToken }), 'TOKEN_EXPIRED')
  const fresh = await signIn(email, 'secreta1')
  assert.equal((await auth.verifyIdToken(fresh.idToken, true)).uid, uid)
  await auth.updateUser(uid, { disabled: true })
  await rejects(auth.verifyIdToken(fresh.idToken, true), 'auth/user-disabled')
  await auth.deleteUser(uid)
})

test('createSessionCookie, verifySessionCookie', async () => {
  const uid = unique('cookie')
  const expiresIn = 24 * 3600 * 1000
  const { idToken } = await signInCustom(await auth.createCustomToken(uid, { admin: true }))
  const cookie = await auth.createSessionCookie(idToken, { expiresIn })
  const { iat, exp, iss, ...claims } = await auth.verifySessionCookie(cookie, true)
  const { iat: _, exp: __, iss: issuer, ...inToken } = await auth.verifyIdToken(idToken)
  assert.deepEqual(claims, inToken)
  assert.equal(exp - iat, expiresIn / 1000)
  assert.equal(iss, issuer.replace('securetoken.google.com', 'session.firebase.google.com'))
  await rejects(auth.verifySessionCookie('invalid'), 'auth/argument-error')
  await rejects(auth.verifySessionCookie(idToken), 'auth/argument-error')
  await rejects(auth.verifyIdToken(cookie), 'auth/argument-error')
  await rejects(auth.createSessionCookie('invalid', { expiresIn }), 'auth/invalid-id-token')
  await nextSecond()
  await auth.revokeRefreshTokens(uid)
  await rejects(auth.createSessionCookie(idToken, { expiresIn }), 'auth/id-token-expired')
  assert.equal((await auth.verifySessionCookie(cookie)).uid, uid)
  await rejects(auth.verifySessionCookie(cookie, true), 'auth/session-cookie-revoked')
  const again = await signInCustom(await auth.createCustomToken(uid))
  const second = await auth.createSessionCookie(again.idToken, { expiresIn })
  await auth.updateUser(uid, { disabled: true })
  await rejects(auth.verifySessionCookie(second, true), 'auth/user-disabled')
  await rejects(auth.createSessionCookie(again.idToken, { expiresIn }), 'auth/user-disabled')
  await auth.deleteUser(uid)
})

test('links', async () => {
  const [uid, email, newEmail] = [unique('link'), address(), address()]
  const settings = { url: `${url}/?a=1&b=2#c=3`, handleCodeInApp: false }
  const code = (link) => {
    const { origin, searchParams } = new URL(link)
    assert.equal(origin, url)
    assert.equal(searchParams.get('continueUrl'), settings.url)
    return searchParams.get('oobCode')
  }
  await auth.createUser({ uid, email, password: 'secreta1' })
  await client('resetPassword', { oobCode: code(await auth.generatePasswordResetLink(email, settings)), newPassword: 'secreta2' })
  assert.equal((await signIn(email, 'secreta2')).localId, uid)
  assert.equal((await auth.updateUser(uid, { emailVerified: false })).emailVerified, false)
  await client('update', { oobCode: code(await auth.generateEmailVerificationLink(email, settings)) })
  assert.equal((await auth.getUser(uid)).emailVerified, true)
  const byLink = await client('signInWithEmailLink', { email, oobCode: code(await auth.generateSignInWithEmailLink(email, { ...settings, handleCodeInApp: true })) })
  assert.equal(byLink.localId, uid)
  await client('update', { oobCode: code(await auth.generateVerifyAndChangeEmailLink(email, newEmail, settings)) })
  assert.equal((await auth.getUser(uid)).email, newEmail)
  assert.ok(new URL(await auth.generatePasswordResetLink(newEmail)).searchParams.get('oobCode'))

  await rejects(auth.generateEmailVerificationLink(newEmail, { url: 'https://evil.example/' }), 'auth/unauthorized-continue-uri')
  await rejects(auth.generateSignInWithEmailLink(newEmail, { ...settings, handleCodeInApp: true, linkDomain: 'nowhere.example' }), 'auth/invalid-hosting-link-domain')
  await auth.deleteUser(uid)
})

test('importUsers', async () => {
  for (const { options, user } of hashes('secreta1')) {
    const [uid, email] = [unique('import'), address()]
    const result = await auth.importUsers([{ uid, email, ...user }], options)
    assert.deepEqual([result.successCount, result.errors], [1, []], options.hash.algorithm)
    assert.match(await refused('signInWithPassword', { email, password: 'secreta2' }), /^INVALID_LOGIN_CREDENTIALS/, options.hash.algorithm)
    assert.equal((await signIn(email, 'secreta1')).localId, uid, options.hash.algorithm)
    await auth.deleteUser(uid)
  }

  const [uid, email, number, past] = [unique('import'), address(), phone(), new Date(1476235905000).toUTCString()]
  const given = {
    uid,
    email,
    emailVerified: true,
    displayName: 'Ana',
    photoURL: 'http://example.org/a.png',
    phoneNumber: number,
    disabled: false,
    metadata: { lastSignInTime: past, creationTime: past },
    customClaims: { admin: true },
    providerData: [{ uid: `${uid}-f`, displayName: 'Ana F', email, photoURL: 'http://example.org/f.png', providerId: 'facebook.com' }],
    multiFactor: { enrolledFactors: [{ uid: 'f1', phoneNumber: phone(), displayName: 'work', factorId: 'phone', enrollmentTime: past }] },
  }
  assert.equal((await auth.importUsers([given])).successCount, 1)
  const got = (await auth.getUser(uid)).toJSON()
  assert.deepEqual(got.metadata, { lastSignInTime: past, creationTime: past, lastRefreshTime: null })
  assert.deepEqual(got.multiFactor, given.multiFactor)
  assert.deepEqual(got.providerData.map((p) => p.providerId), ['facebook.com', 'phone'])
  for (const name of ['email', 'emailVerified', 'displayName', 'photoURL', 'phoneNumber', 'disabled', 'customClaims']) assert.deepEqual(got[name], given[name], name)

  const bad = await auth.importUsers([{ uid: unique('bad'), email: 'invalid' }, { uid: unique('bad'), phoneNumber: '+1error' }])
  assert.deepEqual([bad.failureCount, bad.errors.map((e) => [e.index, e.error.code])], [2, [[0, 'auth/invalid-email'], [1, 'auth/invalid-user-import']]])
  await auth.deleteUser(uid)
})

test('SAML providers', async () => {
  const given = {
    providerId: unique('saml.a'),
    displayName: 'SAML',
    enabled: true,
    idpEntityId: 'idp',
    ssoURL: 'https://example.com/login',
    x509Certificates: [certificates[0]],
    rpEntityId: 'rp',
    callbackURL: 'https://example.firebaseapp.com/__/auth/handler',
    enableRequestSigning: true,
  }
  assert.deepEqual({ ...(await auth.createProviderConfig(given)) }, given)
  assert.deepEqual({ ...(await auth.getProviderConfig(given.providerId)) }, given)
  const change = { displayName: 'Other', enabled: false, x509Certificates: [certificates[1]], callbackURL: given.callbackURL, enableRequestSigning: false }
  assert.deepEqual({ ...(await auth.updateProviderConfig(given.providerId, change)) }, { ...given, ...change })
  const other = { ...given, providerId: unique('saml.b') }
  await auth.createProviderConfig(other)
  await listed('saml', [given.providerId, other.providerId])
  for (const { providerId } of [given, other]) {
    await auth.deleteProviderConfig(providerId)
    await rejects(auth.getProviderConfig(providerId), 'auth/configuration-not-found')
  }
})

test('OIDC providers', async () => {
  const given = { providerId: unique('oidc.a'), displayName: 'OIDC', enabled: true, issuer: 'https://oidc.example.com', clientId: 'client', responseType: { idToken: true } }
  assert.deepEqual({ ...(await auth.createProviderConfig(given)) }, given)
  assert.deepEqual({ ...(await auth.getProviderConfig(given.providerId)) }, given)
  const change = { displayName: 'Other', enabled: false, issuer: 'https://oidc.example.org', clientId: 'client2', clientSecret: 'secret', responseType: { code: true, idToken: false } }
  assert.deepEqual(json(await auth.updateProviderConfig(given.providerId, change)), json({ ...given, ...change, responseType: { code: true }, clientSecret: undefined }))
  const other = { ...given, providerId: unique('oidc.b'), clientSecret: 'secret', responseType: { code: true } }
  const { clientSecret, ...shown } = other // No answer has the secret.
  assert.deepEqual({ ...(await auth.createProviderConfig(other)) }, shown)
  assert.deepEqual({ ...(await auth.getProviderConfig(other.providerId)) }, shown)
  await rejects(auth.updateProviderConfig(given.providerId, { responseType: { code: false, idToken: false } }), 'auth/invalid-oauth-responsetype')
  await listed('oidc', [given.providerId, other.providerId])
  for (const { providerId } of [given, other]) {
    await auth.deleteProviderConfig(providerId)
    await rejects(auth.getProviderConfig(providerId), 'auth/configuration-not-found')
  }
})

/** Asserts that providers are listed, in pages of one. */
async function listed(type, want) {
  const got = []
  for (let pageToken; ; ) {
    const page = await auth.listProviderConfigs({ type, maxResults: 1, pageToken })
    got.push(...page.providerConfigs.map((c) => c.providerId))
    if (!page.pageToken) break
    pageToken = page.pageToken
  }
  assert.deepEqual(got.filter((id) => want.includes(id)).sort(), [...want].sort())
}

test('the configuration of the project', async () => {
  const policy = { enforcementState: 'ENFORCE', forceUpgradeOnSignin: true, constraints: { requireUppercase: true, requireLowercase: true, requireNonAlphanumeric: true, requireNumeric: true, minLength: 8, maxLength: 30 } }
  const given = {
    smsRegionConfig: { allowByDefault: { disallowedRegions: ['AC', 'AD'] } },
    multiFactorConfig: { state: 'ENABLED', factorIds: ['phone'], providerConfigs: [{ state: 'ENABLED', totpProviderConfig: { adjacentIntervals: 5 } }] },
    recaptchaConfig: { emailPasswordEnforcementState: 'OFF', phoneEnforcementState: 'OFF', managedRules: [{ endScore: 0.1, action: 'BLOCK' }], useAccountDefender: false },
    passwordPolicyConfig: policy,
    emailPrivacyConfig: { enableImprovedEmailPrivacy: true },
    mobileLinksConfig: { domain: 'HOSTING_DOMAIN' },
  }
  const set = json(await config.updateProjectConfig(given))
  delete set.recaptchaConfig.recaptchaKeys
  assert.deepEqual(set, given)
  assert.deepEqual(json(await config.getProjectConfig()).passwordPolicyConfig, policy)
  await assert.rejects(auth.createUser({ email: address(), password: 'secreta1' }), /requirements/)

  await assert.rejects(config.updateProjectConfig({ recaptchaConfig: { emailPasswordEnforcementState: 'AUDIT' } }), /reCAPTCHA/)
  await assert.rejects(config.updateProjectConfig({ mobileLinksConfig: { domain: 'FIREBASE_DYNAMIC_LINK_DOMAIN' } }), /Dynamic Links/)

  const change = {
    smsRegionConfig: { allowlistOnly: { allowedRegions: ['AC'] } },
    emailPrivacyConfig: { enableImprovedEmailPrivacy: false },
    multiFactorConfig: { state: 'DISABLED', factorIds: [] },
    passwordPolicyConfig: { enforcementState: 'OFF' },
  }
  const changed = json(await config.updateProjectConfig(change))
  // The account defender is not shown later if reCAPTCHA is off.
  const { useAccountDefender: _, ...recaptchaConfig } = given.recaptchaConfig
  assert.deepEqual([changed.recaptchaConfig, json(await config.getProjectConfig()).recaptchaConfig], [recaptchaConfig, recaptchaConfig])
  assert.deepEqual([changed.smsRegionConfig, changed.emailPrivacyConfig], [change.smsRegionConfig, {}])
  assert.equal(changed.multiFactorConfig.state, 'DISABLED')
  assert.deepEqual(changed.passwordPolicyConfig, {
    enforcementState: 'OFF',
    forceUpgradeOnSignin: false,
    constraints: { requireUppercase: false, requireLowercase: false, requireNonAlphanumeric: false, requireNumeric: false, minLength: 6, maxLength: 4096 },
  })
  await rejects(auth.generatePasswordResetLink(address()), 'auth/email-not-found')
  await config.updateProjectConfig({ emailPrivacyConfig: { enableImprovedEmailPrivacy: true } })
})

test('every method was called', () => {
  called.add('Auth.tenantManager').add('Auth.projectConfigManager') // these return managers and call nothing
  const all = [...methods(plain, 'Auth.'), ...methods(plain.projectConfigManager(), 'ProjectConfigManager.')]
  assert.ok(all.length > 25)
  // This one is for events of blocking functions, which connection.mjs verifies.
  assert.deepEqual(all.filter((name) => !called.has(name)), all.filter((name) => name === 'Auth._verifyAuthBlockingToken'))
})
