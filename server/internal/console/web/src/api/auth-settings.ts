import * as v from 'valibot'
import { call } from './http'
import { identityPath } from './users'

const flag = v.optional(v.boolean(), false)
/** A way to sign in, which is on unless it was switched off. */
const way = v.optional(v.object({ enabled: v.optional(v.boolean(), true), passwordRequired: flag }), {})
const Settings = v.object({
  authorizedDomains: v.optional(v.array(v.string()), []),
  signIn: v.optional(v.object({ email: way, phoneNumber: way, anonymous: way, allowDuplicateEmails: flag }), {}),
  emailPrivacyConfig: v.optional(v.object({ enableImprovedEmailPrivacy: flag }), {}),
  // Without a value, the server's flags decide on sign-ups.
  client: v.optional(
    v.object({ permissions: v.optional(v.object({ disabledUserSignup: v.optional(v.boolean()), disabledUserDeletion: flag }), {}) }),
    {},
  ),
  mfa: v.optional(v.object({ state: v.optional(v.string(), '') }), {}),
})
export type AuthSettings = v.InferOutput<typeof Settings>

const base = (project: string): string => identityPath('v2', { project, tenant: '' })

/** The settings of Authentication. */
export const loadAuthSettings = (project: string, signal?: AbortSignal) => call(Settings, `${base(project)}/config`, { signal })
