import * as v from 'valibot'
import { call, send } from './http'
import { type Directory, identityPath } from './users'

const text = v.optional(v.string(), '')
const texts = v.optional(v.array(v.string()), [])

const Certificates = v.optional(v.array(v.object({ x509Certificate: text })), [])
const pemsOf = (all: v.InferOutput<typeof Certificates>): string[] => all.map((one) => one.x509Certificate.trim())

/** An identity provider without its secrets: the schema drops what a server of a developer sends of them. */
const Provider = v.pipe(
  v.object({
    name: v.string(),
    displayName: text,
    enabled: v.optional(v.boolean(), false),
    clientId: text,
    issuer: text,
    additionalClientIds: texts,
    appleSignInConfig: v.optional(
      v.object({ bundleIds: texts, codeFlowConfig: v.optional(v.object({ teamId: text, keyId: text }), {}) }),
      {},
    ),
    idpConfig: v.optional(
      v.object({
        idpEntityId: text,
        ssoUrl: text,
        idpCertificates: Certificates,
        signRequest: v.optional(v.boolean(), false),
      }),
      {},
    ),
    spConfig: v.optional(v.object({ spEntityId: text, callbackUri: text, spCertificates: Certificates }), {}),
    emailDomains: texts,
    oauthConfig: v.optional(
      v.object({
        authorizationUrl: text,
        tokenUrl: text,
        userInfoUrl: text,
        introspectionUrl: text,
        scopes: texts,
        userInfoMembers: v.optional(v.object({ id: text, email: text, emailVerified: text, name: text, picture: text }), {}),
      }),
      {},
    ),
  }),
  v.transform(({ name, appleSignInConfig: { bundleIds, codeFlowConfig }, idpConfig, spConfig, oauthConfig, ...rest }) => ({
    id: name.split('/').at(-1) ?? '',
    ...rest,
    bundleIds,
    ...codeFlowConfig,
    authorizationUrl: oauthConfig.authorizationUrl,
    tokenUrl: oauthConfig.tokenUrl,
    userInfoUrl: oauthConfig.userInfoUrl,
    introspectionUrl: oauthConfig.introspectionUrl,
    scopes: oauthConfig.scopes,
    idMember: oauthConfig.userInfoMembers.id,
    emailMember: oauthConfig.userInfoMembers.email,
    emailVerifiedMember: oauthConfig.userInfoMembers.emailVerified,
    nameMember: oauthConfig.userInfoMembers.name,
    pictureMember: oauthConfig.userInfoMembers.picture,
    idpEntityId: idpConfig.idpEntityId,
    ssoUrl: idpConfig.ssoUrl,
    certificates: pemsOf(idpConfig.idpCertificates),
    signRequest: idpConfig.signRequest,
    spEntityId: spConfig.spEntityId,
    callbackUri: spConfig.callbackUri,
    /** Those of the key with which this server signs its requests. */
    ownCertificates: pemsOf(spConfig.spCertificates),
  })),
)
export type Provider = v.InferOutput<typeof Provider>

/** The fields of a provider that may be changed, and the secrets, which are only written. */
export type ProviderChange = Partial<Omit<Provider, 'id' | 'ownCertificates'>> & { clientSecret?: string; privateKey?: string }

const OIDC = 'oidc.'
export const isOidc = (id: string): boolean => id.startsWith(OIDC)
const SAML = 'saml.'
export const isSaml = (id: string): boolean => id.startsWith(SAML)
const OAUTH = 'oauth.'
export const isOAuth = (id: string): boolean => id.startsWith(OAUTH)

const base = (of: Directory): string => identityPath('v2', of)
const kindOf = (id: string): string => (isSaml(id) ? 'inboundSamlConfigs' : isOidc(id) ? 'oauthIdpConfigs' : 'defaultSupportedIdpConfigs')
const idParameter = (id: string): string => (isSaml(id) ? 'inboundSamlConfigId' : isOidc(id) ? 'oauthIdpConfigId' : 'idpId')
const pathOf = (of: Directory, id: string): string => `${base(of)}/${kindOf(id)}/${encodeURIComponent(id)}`

/** The identity providers of a project or one of its tenants: the usual ones, those of OpenID Connect and those of SAML. */
export async function loadProviders(of: Directory, signal?: AbortSignal): Promise<Provider[]> {
  const [usual, others, saml] = await Promise.all([
    call(v.object({ defaultSupportedIdpConfigs: v.optional(v.array(Provider), []) }), `${base(of)}/defaultSupportedIdpConfigs`, {
      signal,
    }),
    call(v.object({ oauthIdpConfigs: v.optional(v.array(Provider), []) }), `${base(of)}/oauthIdpConfigs`, { signal }),
    call(v.object({ inboundSamlConfigs: v.optional(v.array(Provider), []) }), `${base(of)}/inboundSamlConfigs`, { signal }),
  ])
  return [...usual.defaultSupportedIdpConfigs, ...others.oauthIdpConfigs, ...saml.inboundSamlConfigs]
}

/** The paths of fields in a configuration that have other names there: those of Apple, of OAuth 2 and of SAML. */
const PATHS: Record<string, string> = {
  bundleIds: 'appleSignInConfig.bundleIds',
  teamId: 'appleSignInConfig.codeFlowConfig.teamId',
  keyId: 'appleSignInConfig.codeFlowConfig.keyId',
  privateKey: 'appleSignInConfig.codeFlowConfig.privateKey',
  authorizationUrl: 'oauthConfig.authorizationUrl',
  tokenUrl: 'oauthConfig.tokenUrl',
  userInfoUrl: 'oauthConfig.userInfoUrl',
  introspectionUrl: 'oauthConfig.introspectionUrl',
  scopes: 'oauthConfig.scopes',
  idMember: 'oauthConfig.userInfoMembers.id',
  emailMember: 'oauthConfig.userInfoMembers.email',
  emailVerifiedMember: 'oauthConfig.userInfoMembers.emailVerified',
  nameMember: 'oauthConfig.userInfoMembers.name',
  pictureMember: 'oauthConfig.userInfoMembers.picture',
  idpEntityId: 'idpConfig.idpEntityId',
  ssoUrl: 'idpConfig.ssoUrl',
  certificates: 'idpConfig.idpCertificates',
  signRequest: 'idpConfig.signRequest',
  spEntityId: 'spConfig.spEntityId',
  callbackUri: 'spConfig.callbackUri',
}

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object with a value at a path. */
function withValue(tree: Tree, [name = '', ...below]: string[], value: unknown): Tree {
  const old = tree[name]
  return { ...tree, [name]: below.length === 0 ? value : withValue(isTree(old) ? old : {}, below, value) }
}

/** A change in the form of the API, and the paths of the changed fields. */
export function wireChange(id: string, change: ProviderChange): { body: object; mask: string[] } {
  // With a secret, the server exchanges a code for the tokens; without one it asks for an ID token.
  const flow = isOidc(id) && change.clientSecret ? { responseType: { code: true, idToken: false } } : {}
  const mask = Object.keys(change).map((field) => PATHS[field] ?? field)
  const { certificates } = change
  const values = { ...change, ...(certificates && { certificates: certificates.map((x509Certificate) => ({ x509Certificate })) }) }
  const body = Object.entries(values).reduce<Tree>(
    (tree, [field, value]) => withValue(tree, (PATHS[field] ?? field).split('.'), value),
    flow,
  )
  return { body, mask: [...mask, ...Object.keys(flow)] }
}

/** Adds a provider. */
export const addProvider = (of: Directory, id: string, change: ProviderChange): Promise<void> =>
  send(`${base(of)}/${kindOf(id)}?${new URLSearchParams({ [idParameter(id)]: id })}`, {
    body: wireChange(id, change).body,
  })

/** Changes some fields of a provider. */
export function changeProvider(of: Directory, id: string, change: ProviderChange): Promise<void> {
  const { body, mask } = wireChange(id, change)
  return send(`${pathOf(of, id)}?${new URLSearchParams({ updateMask: mask.join(',') })}`, { method: 'PATCH', body })
}

/** Removes a provider with its secret. */
export const removeProvider = (of: Directory, id: string): Promise<void> => send(pathOf(of, id), { method: 'DELETE' })
