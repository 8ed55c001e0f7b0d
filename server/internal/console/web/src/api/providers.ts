import * as v from 'valibot'
import { call, send } from './http'

const text = v.optional(v.string(), '')
const texts = v.optional(v.array(v.string()), [])

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
  }),
  v.transform(({ name, appleSignInConfig: { bundleIds, codeFlowConfig }, ...rest }) => ({
    id: name.split('/').at(-1) ?? '',
    ...rest,
    bundleIds,
    ...codeFlowConfig,
  })),
)
export type Provider = v.InferOutput<typeof Provider>

/** The fields of a provider that may be changed, and the secrets, which are only written. */
export type ProviderChange = Partial<Omit<Provider, 'id'>> & { clientSecret?: string; privateKey?: string }

const OIDC = 'oidc.'
export const isOidc = (id: string): boolean => id.startsWith(OIDC)

const base = (project: string): string => `/identitytoolkit.googleapis.com/v2/projects/${encodeURIComponent(project)}`
const kindOf = (id: string): string => (isOidc(id) ? 'oauthIdpConfigs' : 'defaultSupportedIdpConfigs')
const pathOf = (project: string, id: string): string => `${base(project)}/${kindOf(id)}/${encodeURIComponent(id)}`

/** The identity providers: the usual ones and those of OpenID Connect. */
export async function loadProviders(project: string, signal?: AbortSignal): Promise<Provider[]> {
  const [usual, others] = await Promise.all([
    call(v.object({ defaultSupportedIdpConfigs: v.optional(v.array(Provider), []) }), `${base(project)}/defaultSupportedIdpConfigs`, {
      signal,
    }),
    call(v.object({ oauthIdpConfigs: v.optional(v.array(Provider), []) }), `${base(project)}/oauthIdpConfigs`, { signal }),
  ])
  return [...usual.defaultSupportedIdpConfigs, ...others.oauthIdpConfigs]
}

/** The paths of Apple's fields in a configuration. */
const APPLE: Record<string, string> = {
  bundleIds: 'appleSignInConfig.bundleIds',
  teamId: 'appleSignInConfig.codeFlowConfig.teamId',
  keyId: 'appleSignInConfig.codeFlowConfig.keyId',
  privateKey: 'appleSignInConfig.codeFlowConfig.privateKey',
}

/** A change in the form of the API, and the paths of the changed fields. */
export function wireChange(id: string, change: ProviderChange): { body: object; mask: string[] } {
  const { bundleIds, teamId, keyId, privateKey, ...plain } = change
  // With a secret, the server exchanges a code for the tokens; without one it asks for an ID token.
  const flow = isOidc(id) && change.clientSecret ? { responseType: { code: true, idToken: false } } : {}
  const apple =
    (bundleIds ?? teamId ?? keyId ?? privateKey)
      ? { appleSignInConfig: { ...(bundleIds && { bundleIds }), codeFlowConfig: { teamId, keyId, privateKey } } }
      : {}
  const mask = [...Object.keys(change).map((field) => APPLE[field] ?? field), ...Object.keys(flow)]
  return { body: { ...plain, ...flow, ...apple }, mask }
}

/** Adds a provider. */
export const addProvider = (project: string, id: string, change: ProviderChange): Promise<void> =>
  send(`${base(project)}/${kindOf(id)}?${new URLSearchParams({ [isOidc(id) ? 'oauthIdpConfigId' : 'idpId']: id })}`, {
    body: wireChange(id, change).body,
  })

/** Changes some fields of a provider. */
export function changeProvider(project: string, id: string, change: ProviderChange): Promise<void> {
  const { body, mask } = wireChange(id, change)
  return send(`${pathOf(project, id)}?${new URLSearchParams({ updateMask: mask.join(',') })}`, { method: 'PATCH', body })
}

/** Removes a provider with its secret. */
export const removeProvider = (project: string, id: string): Promise<void> => send(pathOf(project, id), { method: 'DELETE' })
