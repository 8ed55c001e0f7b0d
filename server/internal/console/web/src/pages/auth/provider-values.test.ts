import { expect, test } from 'vitest'
import { type Provider, wireChange } from '../../api/providers'
import { changeOf, NO_SECRETS, valuesOf } from './provider-values'

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
