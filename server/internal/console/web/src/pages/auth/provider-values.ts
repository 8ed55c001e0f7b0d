import * as v from 'valibot'
import { isOAuth, isOidc, isSaml, type Provider, type ProviderChange } from '../../api/providers'

/** The providers with a name of their own. Others are oidc.NAME, oauth.NAME and saml.NAME. */
export const NAMED = ['google.com', 'apple.com', 'microsoft.com', 'github.com', 'facebook.com'] as const

const Values = v.object({
  /** One of NAMED, oidc, oauth or saml; name is the end of its id. */
  kind: v.string(),
  name: v.string(),
  displayName: v.string(),
  enabled: v.boolean(),
  clientId: v.string(),
  issuer: v.string(),
  /** Lists are written with commas. */
  additionalClientIds: v.string(),
  bundleIds: v.string(),
  teamId: v.string(),
  keyId: v.string(),
  authorizationUrl: v.string(),
  tokenUrl: v.string(),
  userInfoUrl: v.string(),
  introspectionUrl: v.string(),
  scopes: v.string(),
  idMember: v.string(),
  emailMember: v.string(),
  emailVerifiedMember: v.string(),
  nameMember: v.string(),
  pictureMember: v.string(),
  idpEntityId: v.string(),
  ssoUrl: v.string(),
  /** Certificates in PEM follow each other. */
  certificates: v.string(),
  spEntityId: v.string(),
  callbackUri: v.string(),
  signRequest: v.boolean(),
  emailDomains: v.string(),
})
/** What the form shows of a provider. */
export type Values = v.InferOutput<typeof Values>

/** What is typed and never shown again or kept. */
export type Secrets = { clientSecret: string; privateKey: string }
export const NO_SECRETS: Secrets = { clientSecret: '', privateKey: '' }

/** Reads the text of a kept draft. */
export function readEdits(text: string | null): Partial<Values> {
  const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), v.partial(Values)), text)
  return kept.success ? kept.output : {}
}

/** The certificates of a text, or the text itself if it has none, which the server refuses. */
const certificatesOf = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? (text.trim() === '' ? [] : [text.trim()])

/** The kinds of providers that have names. */
const kindOf = (id: string): string => (isOidc(id) ? 'oidc' : isOAuth(id) ? 'oauth' : isSaml(id) ? 'saml' : id)

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** A provider as the form shows it; a new one if there is none. */
export const valuesOf = (provider: Provider | null): Values => ({
  kind: provider ? kindOf(provider.id) : NAMED[0],
  name: provider && kindOf(provider.id) !== provider.id ? provider.id.slice(kindOf(provider.id).length + 1) : '',
  displayName: provider?.displayName ?? '',
  enabled: provider?.enabled ?? true,
  clientId: provider?.clientId ?? '',
  issuer: provider?.issuer ?? '',
  additionalClientIds: provider?.additionalClientIds.join(', ') ?? '',
  bundleIds: provider?.bundleIds.join(', ') ?? '',
  teamId: provider?.teamId ?? '',
  keyId: provider?.keyId ?? '',
  authorizationUrl: provider?.authorizationUrl ?? '',
  tokenUrl: provider?.tokenUrl ?? '',
  userInfoUrl: provider?.userInfoUrl ?? '',
  introspectionUrl: provider?.introspectionUrl ?? '',
  scopes: provider?.scopes.join(', ') ?? '',
  idMember: provider?.idMember ?? '',
  emailMember: provider?.emailMember ?? '',
  emailVerifiedMember: provider?.emailVerifiedMember ?? '',
  nameMember: provider?.nameMember ?? '',
  pictureMember: provider?.pictureMember ?? '',
  idpEntityId: provider?.idpEntityId ?? '',
  ssoUrl: provider?.ssoUrl ?? '',
  certificates: provider?.certificates.join('\n') ?? '',
  spEntityId: provider?.spEntityId ?? '',
  callbackUri: provider?.callbackUri ?? '',
  emailDomains: provider?.emailDomains.join(', ') ?? '',
  signRequest: provider?.signRequest ?? false,
})

export const idOf = ({ kind, name }: Values): string => (kind === 'oidc' || kind === 'oauth' || kind === 'saml' ? `${kind}.${name}` : kind)

/** The addresses of a provider of OAuth 2, and the members of what it answers about a user. */
export const OAUTH_URLS = ['authorizationUrl', 'tokenUrl', 'userInfoUrl', 'introspectionUrl'] as const
export const OAUTH_MEMBERS = ['idMember', 'emailMember', 'emailVerifiedMember', 'nameMember', 'pictureMember'] as const

/** The fields that a kind of provider has. */
export const fieldsOf = (kind: string) => ({
  oidc: kind === 'oidc',
  oauth: kind === 'oauth',
  saml: kind === 'saml',
  apple: kind === 'apple.com',
  apps: kind === 'google.com' || kind === 'oidc' || kind === 'oauth' || kind === 'microsoft.com',
})

/** The difference between two states of the form, with the secrets that were typed. */
export function changeOf(before: Values, after: Values, secrets: Secrets): ProviderChange {
  const change: ProviderChange = {}
  const { oidc, oauth, saml, apple, apps } = fieldsOf(after.kind)
  if (after.enabled !== before.enabled) change.enabled = after.enabled
  for (const field of [
    ...(saml ? (['displayName', 'idpEntityId', 'ssoUrl', 'spEntityId', 'callbackUri'] as const) : (['clientId'] as const)),
    ...(oidc ? (['displayName', 'issuer'] as const) : []),
    ...(oauth ? ([...OAUTH_URLS, ...OAUTH_MEMBERS] as const) : []),
    ...(apple ? (['teamId', 'keyId'] as const) : []),
  ] as const) {
    const value = after[field].trim()
    if (value !== before[field]) change[field] = value
  }
  if (oauth && after.scopes !== before.scopes) change.scopes = listOf(after.scopes)
  if (apps && after.additionalClientIds !== before.additionalClientIds) change.additionalClientIds = listOf(after.additionalClientIds)
  if (apple && after.bundleIds !== before.bundleIds) change.bundleIds = listOf(after.bundleIds)
  if (saml) {
    if (after.certificates.trim() !== before.certificates) change.certificates = certificatesOf(after.certificates)
    if (after.signRequest !== before.signRequest) change.signRequest = after.signRequest
    if (after.emailDomains !== before.emailDomains) change.emailDomains = listOf(after.emailDomains)
    return change
  }
  if (apple) {
    if (secrets.privateKey) change.privateKey = secrets.privateKey
  } else if (secrets.clientSecret) change.clientSecret = secrets.clientSecret
  return change
}
