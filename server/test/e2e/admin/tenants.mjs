// Every call of TenantManager and TenantAwareAuth of firebase-admin on `clave serve`.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { claveApp } from 'clave/admin'
import { address, ca, client, json, key, methods, nextSecond, phone, refused, rejects, signIn, signInCustom, tracked, unique, url } from './setup.mjs'
import { certificates, hashes } from './samples.mjs'

const app = claveApp({ key, ca, firestore: false })
const plain = getAuth(app).tenantManager()
const called = new Set()
const tenants = tracked(plain, 'TenantManager.', called)
const options = {
  displayName: 'tenant-one',
  emailSignInConfig: { enabled: true, passwordRequired: true },
  multiFactorConfig: { state: 'ENABLED', factorIds: ['phone'], providerConfigs: [{ state: 'ENABLED', totpProviderConfig: { adjacentIntervals: 5 } }] },
  testPhoneNumbers: { '+16505551234': '019287', '+16505550676': '985235' },
  emailPrivacyConfig: { enableImprovedEmailPrivacy: true },
}

after(() => deleteApp(app))

test('createTenant, getTenant, updateTenant, listTenants, deleteTenant', async () => {
  const made = await tenants.createTenant(options)
  const { tenantId } = made
  assert.deepEqual(json(made), { tenantId, anonymousSignInEnabled: false, ...options })
  assert.deepEqual(json(await tenants.getTenant(tenantId)), json(made))

  const recaptchaConfig = { emailPasswordEnforcementState: 'OFF', phoneEnforcementState: 'OFF', managedRules: [{ endScore: 0.1, action: 'BLOCK' }], useAccountDefender: false }
  await assert.rejects(tenants.updateTenant(tenantId, { recaptchaConfig: { ...recaptchaConfig, emailPasswordEnforcementState: 'AUDIT' } }), /reCAPTCHA/)
  const change = {
    displayName: 'tenant-two',
    emailSignInConfig: { enabled: false },
    multiFactorConfig: { state: 'DISABLED', factorIds: [], providerConfigs: [{ state: 'ENABLED', totpProviderConfig: {} }] },
    testPhoneNumbers: { '+16505551234': '123456' },
    emailPrivacyConfig: { enableImprovedEmailPrivacy: false },
    recaptchaConfig,
  }
  const changed = json(await tenants.updateTenant(tenantId, change))
  assert.deepEqual(changed, { tenantId, anonymousSignInEnabled: false, ...change, emailSignInConfig: { enabled: false, passwordRequired: true }, emailPrivacyConfig: {} })
  const second = json(await tenants.updateTenant(tenantId, {
    emailSignInConfig: { enabled: true, passwordRequired: false },
    testPhoneNumbers: null,
    smsRegionConfig: { allowByDefault: { disallowedRegions: ['AC'] } },
    anonymousSignInEnabled: true,
    passwordPolicyConfig: { enforcementState: 'OFF' },
    recaptchaConfig: { emailPasswordEnforcementState: 'OFF', useAccountDefender: false },
  }))
  assert.deepEqual(second.recaptchaConfig, { ...recaptchaConfig, emailPasswordEnforcementState: 'OFF', useAccountDefender: false })
  delete second.recaptchaConfig.useAccountDefender // it is not shown later if reCAPTCHA is off
  assert.deepEqual(json(await tenants.getTenant(tenantId)), second)
  assert.deepEqual(json((await plain.listTenants(1000)).tenants.find((t) => t.tenantId === tenantId)), second)
  assert.deepEqual([second.emailSignInConfig, second.testPhoneNumbers, second.smsRegionConfig], [{ enabled: true, passwordRequired: false }, undefined, { allowByDefault: { disallowedRegions: ['AC'] } }])
  assert.deepEqual([second.anonymousSignInEnabled, second.passwordPolicyConfig.enforcementState, second.multiFactorConfig], [true, 'OFF', change.multiFactorConfig])
  assert.deepEqual(json(await tenants.updateTenant(tenantId, { displayName: 'tenant-three', smsRegionConfig: undefined })), { ...second, displayName: 'tenant-three' })

  const other = await tenants.createTenant({ displayName: 'tenant-other', anonymousSignInEnabled: true })
  assert.equal(other.anonymousSignInEnabled, true)
  const ids = async () => {
    const all = []
    for (let token; ; ) {
      const page = await tenants.listTenants(1, token)
      all.push(...page.tenants.map((t) => t.tenantId))
      if (!page.pageToken) return all
      token = page.pageToken
    }
  }
  const all = await ids()
  assert.ok([tenantId, other.tenantId].every((id) => all.includes(id)))
  for (const id of [tenantId, other.tenantId]) await tenants.deleteTenant(id)
  assert.ok((await ids()).every((id) => id !== tenantId))
  await rejects(tenants.getTenant(tenantId), 'auth/tenant-not-found')
  await rejects(tenants.deleteTenant(tenantId), 'auth/tenant-not-found')
})

test('every call in a tenant', async () => {
  const { tenantId } = await tenants.createTenant(options)
  const inTenant = tenants.authForTenant(tenantId)
  const auth = tracked(inTenant, 'TenantAwareAuth.', called)
  const outside = getAuth(app)
  const [uid, email, phoneNumber] = [unique('tenant'), address(), phone()]

  const made = await auth.createUser({ uid, email, phoneNumber, password: 'secreta1' })
  assert.deepEqual([made.tenantId, made.email, made.phoneNumber], [tenantId, email, phoneNumber])
  for (const found of [await auth.getUser(uid), await auth.getUserByEmail(email), await auth.getUserByPhoneNumber(phoneNumber), await auth.getUserByProviderUid('email', email)]) assert.equal(found.uid, uid)
  assert.deepEqual((await auth.getUsers([{ uid }, { email: address() }])).users.map((u) => u.uid), [uid])
  await rejects(outside.getUser(uid), 'auth/user-not-found')
  assert.ok((await auth.listUsers(100)).users.every((u) => u.tenantId === tenantId))

  await auth.setCustomUserClaims(uid, { admin: true })
  assert.deepEqual((await auth.getUser(uid)).customClaims, { admin: true })
  const email2 = address()
  assert.equal((await auth.updateUser(uid, { email: email2 })).email, email2)

  const settings = { url: `${url}/x` }
  for (const link of [
    await auth.generateEmailVerificationLink(email2, settings),
    await auth.generatePasswordResetLink(email2, settings),
    await auth.generateSignInWithEmailLink(email2, { ...settings, handleCodeInApp: true }),
    await auth.generateVerifyAndChangeEmailLink(email2, address(), settings),
  ]) {
    assert.equal(new URL(link).searchParams.get('tenantId'), tenantId)
  }

  const { idToken } = await signIn(email2, 'secreta1', tenantId)
  assert.equal((await auth.verifyIdToken(idToken, true)).firebase.tenant, tenantId)
  const cookie = await auth.createSessionCookie(idToken, { expiresIn: 3600_000 })
  assert.equal((await auth.verifySessionCookie(cookie, true)).uid, uid)
  const foreign = await signInCustom(await outside.createCustomToken(unique('outside')))
  await rejects(auth.verifyIdToken(foreign.idToken), 'auth/mismatching-tenant-id')
  await rejects(auth.createSessionCookie(foreign.idToken, { expiresIn: 3600_000 }), 'auth/mismatching-tenant-id')
  const custom = await signInCustom(await auth.createCustomToken(unique('custom')), tenantId)
  assert.equal((await auth.verifyIdToken(custom.idToken)).firebase.tenant, tenantId)
  assert.match(await refused('signInWithPassword', { email: email2, password: 'secreta1' }), /^INVALID_LOGIN_CREDENTIALS/)

  await nextSecond()
  const before = Date.now() - 1000
  await auth.revokeRefreshTokens(uid)
  assert.ok(Date.parse((await auth.getUser(uid)).tokensValidAfterTime) >= before)
  await rejects(auth.verifyIdToken(idToken, true), 'auth/id-token-revoked')

  const { options: hash, user } = hashes('secreta1')[0]
  const imported = { uid: unique('import'), email: address(), ...user }
  assert.equal((await auth.importUsers([imported], hash)).successCount, 1)
  assert.equal((await auth.getUser(imported.uid)).tenantId, tenantId)
  assert.equal((await client('signInWithPassword', { email: imported.email, password: 'secreta1', tenantId })).localId, imported.uid)

  const saml = { providerId: unique('saml.t'), displayName: 'S', enabled: true, idpEntityId: 'i', ssoURL: 'https://example.com/', x509Certificates: [certificates[0]], rpEntityId: 'r', callbackURL: 'https://example.com/h', enableRequestSigning: false }
  const oidc = { providerId: unique('oidc.t'), displayName: 'O', enabled: true, issuer: 'https://oidc.example.com', clientId: 'c', responseType: { idToken: true } }
  for (const [type, given] of [['saml', saml], ['oidc', oidc]]) {
    assert.deepEqual(json(await auth.createProviderConfig(given)), given)
    assert.deepEqual(json(await auth.updateProviderConfig(given.providerId, { displayName: 'Other' })), { ...given, displayName: 'Other' })
    assert.equal((await auth.getProviderConfig(given.providerId)).displayName, 'Other')
    assert.deepEqual((await auth.listProviderConfigs({ type })).providerConfigs.map((c) => c.providerId), [given.providerId])
    await rejects(outside.getProviderConfig(given.providerId), 'auth/configuration-not-found')
    await auth.deleteProviderConfig(given.providerId)
    await rejects(auth.getProviderConfig(given.providerId), 'auth/configuration-not-found')
  }

  await auth.deleteUser(uid)
  await rejects(auth.getUser(uid), 'auth/user-not-found')
  assert.equal((await auth.deleteUsers([imported.uid])).successCount, 1)
  await tenants.deleteTenant(tenantId)

  const all = [...methods(plain, 'TenantManager.'), ...methods(inTenant, 'TenantAwareAuth.')]
  assert.ok(all.length > 30)
  // This one is for events of blocking functions, which connection.mjs verifies.
  assert.deepEqual(all.filter((name) => !called.has(name)), all.filter((name) => name === 'TenantAwareAuth._verifyAuthBlockingToken'))
})
