import { expect, test } from 'vitest'
import { type Provider, wireChange } from '../../api/providers'
import { changeOf, idOf, NO_SECRETS, valuesOf } from './provider-values'

const apple: Provider = {
  id: 'apple.com',
  displayName: '',
  enabled: true,
  clientId: 'org.example.services',
  issuer: '',
  additionalClientIds: [],
  bundleIds: ['org.example.app'],
  teamId: 'TEAM',
  keyId: 'KEY',
  authorizationUrl: '',
  tokenUrl: '',
  userInfoUrl: '',
  introspectionUrl: '',
  scopes: [],
  idMember: '',
  emailMember: '',
  emailVerifiedMember: '',
  nameMember: '',
  pictureMember: '',
  idpEntityId: '',
  ssoUrl: '',
  certificates: [],
  spEntityId: '',
  callbackUri: '',
  emailDomains: [],
  signRequest: false,
  ownCertificates: [],
}

test('only what was changed is sent, and a secret only if it was typed', () => {
  const before = valuesOf(apple)
  expect(changeOf(before, before, NO_SECRETS)).toEqual({})
  const change = changeOf(before, { ...before, keyId: ' KEY2 ', bundleIds: 'a, b' }, { clientSecret: 'not of Apple', privateKey: 'pem' })
  expect(change).toEqual({ keyId: 'KEY2', bundleIds: ['a', 'b'], privateKey: 'pem' })
  expect(wireChange('apple.com', change)).toEqual({
    body: { appleSignInConfig: { bundleIds: ['a', 'b'], codeFlowConfig: { teamId: undefined, keyId: 'KEY2', privateKey: 'pem' } } },
    mask: ['appleSignInConfig.codeFlowConfig.keyId', 'appleSignInConfig.bundleIds', 'appleSignInConfig.codeFlowConfig.privateKey'],
  })
})

test('a list that was emptied is sent', () => {
  const before = valuesOf(apple)
  expect(wireChange('apple.com', changeOf(before, { ...before, bundleIds: '' }, NO_SECRETS))).toMatchObject({
    body: { appleSignInConfig: { bundleIds: [] } },
    mask: ['appleSignInConfig.bundleIds'],
  })
})

test('a provider of OpenID Connect with a secret exchanges codes', () => {
  const before = valuesOf({ ...apple, id: 'oidc.choir', issuer: 'https://login.example.org', bundleIds: [], teamId: '', keyId: '' })
  const change = changeOf(before, before, { clientSecret: 's', privateKey: '' })
  expect(wireChange('oidc.choir', change)).toEqual({
    body: { clientSecret: 's', responseType: { code: true, idToken: false } },
    mask: ['clientSecret', 'responseType'],
  })
})

test('a provider of SAML has certificates, no client and no secret', () => {
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`
  const before = valuesOf({ ...apple, id: 'saml.corp', clientId: '', bundleIds: [], teamId: '', keyId: '', certificates: [pem('a')] })
  expect(before).toMatchObject({ kind: 'saml', name: 'corp', certificates: pem('a') })
  expect(idOf(before)).toBe('saml.corp')
  const after = {
    ...before,
    spEntityId: 'clave',
    certificates: `${pem('b')}\n\n${pem('c')}\n`,
    emailDomains: 'corp.example',
    clientId: 'none',
    signRequest: true,
  }
  const change = changeOf(before, after, { clientSecret: 's', privateKey: 's' })
  expect(wireChange('saml.corp', change)).toEqual({
    body: {
      emailDomains: ['corp.example'],
      idpConfig: { idpCertificates: [{ x509Certificate: pem('b') }, { x509Certificate: pem('c') }], signRequest: true },
      spConfig: { spEntityId: 'clave' },
    },
    mask: ['spConfig.spEntityId', 'idpConfig.idpCertificates', 'idpConfig.signRequest', 'emailDomains'],
  })
  expect(changeOf(before, { ...before, certificates: 'no certificate' }, NO_SECRETS)).toEqual({ certificates: ['no certificate'] })
})

test('a provider of OAuth 2 has addresses, scopes and members', () => {
  const before = valuesOf({ ...apple, id: 'oauth.forum', clientId: 'c', bundleIds: [], teamId: '', keyId: '', scopes: ['a'] })
  expect(before).toMatchObject({ kind: 'oauth', name: 'forum', scopes: 'a' })
  expect(idOf(before)).toBe('oauth.forum')
  const after = {
    ...before,
    tokenUrl: ' https://forum.example/token ',
    scopes: 'a, b',
    emailVerifiedMember: 'data.confirmed',
    issuer: 'none',
  }
  expect(wireChange('oauth.forum', changeOf(before, after, { clientSecret: 's', privateKey: '' }))).toEqual({
    body: {
      clientSecret: 's',
      oauthConfig: { tokenUrl: 'https://forum.example/token', scopes: ['a', 'b'], userInfoMembers: { emailVerified: 'data.confirmed' } },
    },
    mask: ['oauthConfig.tokenUrl', 'oauthConfig.userInfoMembers.emailVerified', 'oauthConfig.scopes', 'clientSecret'],
  })
})
