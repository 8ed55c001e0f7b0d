import * as v from 'valibot'
import { call, send, withQuery } from './http'

const Factor = v.object({
  mfaEnrollmentId: v.optional(v.string(), ''),
  displayName: v.optional(v.string(), ''),
  phoneInfo: v.optional(v.string(), ''),
  enrolledAt: v.optional(v.string(), ''),
})
const Provider = v.object({
  providerId: v.string(),
  rawId: v.optional(v.string(), ''),
  email: v.optional(v.string(), ''),
  phoneNumber: v.optional(v.string(), ''),
  displayName: v.optional(v.string(), ''),
})
const User = v.looseObject({
  localId: v.string(),
  email: v.optional(v.string(), ''),
  emailVerified: v.optional(v.boolean(), false),
  displayName: v.optional(v.string(), ''),
  photoUrl: v.optional(v.string(), ''),
  phoneNumber: v.optional(v.string(), ''),
  disabled: v.optional(v.boolean(), false),
  customAttributes: v.optional(v.string(), ''),
  createdAt: v.optional(v.string(), ''),
  lastLoginAt: v.optional(v.string(), ''),
  validSince: v.optional(v.string(), ''),
  providerUserInfo: v.optional(v.array(Provider), []),
  mfaInfo: v.optional(v.array(Factor), []),
})
export type User = v.InferOutput<typeof User>

/** The users of a project or of one of its tenants. */
export type Directory = { project: string; tenant: string }

/** The path of a project or a tenant in a version of the Identity Toolkit API. */
export const identityPath = (version: 'v1' | 'v2', { project, tenant }: Directory): string =>
  `/identitytoolkit.googleapis.com/${version}/projects/${encodeURIComponent(project)}${tenant ? `/tenants/${encodeURIComponent(tenant)}` : ''}`

const base = (of: Directory): string => identityPath('v1', of)

const Listed = v.object({ users: v.optional(v.array(User), []), nextPageToken: v.optional(v.string(), '') })
export type UserPage = v.InferOutput<typeof Listed>

/** A page of all users. */
export function listUsers(directory: Directory, size: number, token: string, signal?: AbortSignal): Promise<UserPage> {
  const query = new URLSearchParams({ maxResults: String(size) })
  if (token) query.set('nextPageToken', token)
  return call(Listed, `${base(directory)}/accounts:batchGet?${query}`, { signal })
}

/** The orders of users, as the API names them. */
export const USER_ORDERS = ['USER_EMAIL', 'USER_ID', 'CREATED_AT', 'LAST_LOGIN_AT'] as const
/** An order of users; null is that of their ids, by which pages of any number of users are fast. */
export type UserOrder = { by: (typeof USER_ORDERS)[number]; down: boolean } | null

const Queried = v.object({ userInfo: v.optional(v.array(User), []) })

/** A page of all users in an order. The token is the number of users before it. */
export async function orderUsers(
  directory: Directory,
  order: NonNullable<UserOrder>,
  size: number,
  token: string,
  signal?: AbortSignal,
): Promise<UserPage> {
  const offset = Number(token)
  const body = { sortBy: order.by, order: order.down ? 'DESC' : 'ASC', limit: String(size), offset: String(offset), returnUserInfo: true }
  const { userInfo } = await call(Queried, `${base(directory)}/accounts:query`, { body, signal })
  return { users: userInfo, nextPageToken: userInfo.length === size ? String(offset + size) : '' }
}

const Found = v.object({ users: v.array(User), next: v.optional(v.string(), '') })

/** A page of the users whose id, e-mail address, phone number or name contains a text. */
export async function findUsers(
  { project, tenant }: Directory,
  text: string,
  size: number,
  after: string,
  signal?: AbortSignal,
): Promise<UserPage> {
  const { users, next } = await call(Found, withQuery('/api/users', { project, tenant, q: text, after, limit: size }), { signal })
  return { users, nextPageToken: next }
}

const Looked = v.object({ users: v.optional(v.array(User), []) })

export async function getUser(directory: Directory, localId: string, signal?: AbortSignal): Promise<User | null> {
  const { users } = await call(Looked, `${base(directory)}/accounts:lookup`, { body: { localId: [localId] }, signal })
  return users[0] ?? null
}

const Created = v.object({ localId: v.string() })
export type NewUser = { localId?: string; email?: string; password?: string; displayName?: string; phoneNumber?: string }

export async function createUser(directory: Directory, user: NewUser): Promise<string> {
  return (await call(Created, `${base(directory)}/accounts`, { body: user })).localId
}

/** A change of an account. */
export type UserChange = {
  email?: string
  emailVerified?: boolean
  displayName?: string
  photoUrl?: string
  phoneNumber?: string
  password?: string
  disableUser?: boolean
  customAttributes?: string
  validSince?: string
  deleteAttribute?: ('DISPLAY_NAME' | 'PHOTO_URL')[]
  deleteProvider?: string[]
  mfa?: { enrollments: object[] }
}

export const updateUser = (directory: Directory, localId: string, change: UserChange): Promise<void> =>
  send(`${base(directory)}/accounts:update`, { body: { localId, ...change } })

/** Deletes users, including enabled ones. */
export const deleteUsers = (directory: Directory, localIds: string[]): Promise<void> =>
  send(`${base(directory)}/accounts:batchDelete`, { body: { localIds, force: true } })

const Imported = v.object({ error: v.optional(v.array(v.object({ index: v.optional(v.number(), 0), message: v.string() })), []) })

/** Writes exported accounts and returns those that were refused. */
export async function importUsers(directory: Directory, users: unknown[]): Promise<{ index: number; message: string }[]> {
  return (await call(Imported, `${base(directory)}/accounts:batchCreate`, { body: { users } })).error
}

const Tenants = v.object({ tenants: v.optional(v.array(v.object({ name: v.string(), displayName: v.optional(v.string(), '') })), []) })

export async function listTenants(project: string, signal?: AbortSignal): Promise<{ id: string; label: string }[]> {
  const { tenants } = await call(Tenants, `${identityPath('v2', { project, tenant: '' })}/tenants?pageSize=1000`, { signal })
  return tenants.map(({ name, displayName }) => {
    const id = name.split('/').at(-1) ?? ''
    return { id, label: displayName ? `${displayName} (${id})` : id }
  })
}

const SignedIn = v.object({ idToken: v.string(), refreshToken: v.string(), expiresIn: v.string() })

/** Tokens of a user, for development. */
export const signInAs = ({ project, tenant }: Directory, localId: string) =>
  call(SignedIn, '/api/users/signin', { body: { project, localId, ...(tenant && { tenantId: tenant }) } })

/** A link that opens the site signed in as a user, for development. It works once. */
export async function siteLink({ project, tenant }: Directory, localId: string): Promise<string> {
  const body = { project, localId, ...(tenant && { tenantId: tenant }) }
  return (await call(v.object({ url: v.string() }), '/api/users/open', { body })).url
}
