import type { Page } from '@playwright/test'

/** The project and the servers under test, from the variables that `clave exec` and the emulators' tools set. */
export const project = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
const firestore = process.env['FIRESTORE_EMULATOR_HOST'] ?? '127.0.0.1:8080'
const accounts = process.env['FIREBASE_AUTH_EMULATOR_HOST'] ?? '127.0.0.1:9099'
const base = `projects/${project}/databases/(default)/documents`

/** The sign-up code of the server under test. */
export const secretCode = process.env['ADMIN_SIGNUP_CODE'] ?? 'demo-codigo-fundacion'

/** The content of a document: plain values and dates. */
export type Inputs = Record<string, unknown>

/** A person who can sign in. */
export type Account = { email: string; key: string; name?: string }

export const admin = { email: 'admin@x.do', key: 'secreta1', name: 'Ana Pérez' } satisfies Account
export const foreign = { email: 'ajena@x.do', key: 'secreta2', name: 'Ajena' } satisfies Account

/** Sends a request to a server with the owner's token, which rules do not apply to. */
async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: method,
    headers: { Authorization: 'Bearer owner', 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (answer.status === 404 && method === 'GET') return null
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Deletes everything in the servers, and configures sign-in as in production. */
export async function clear(): Promise<void> {
  await ask('DELETE', `http://${firestore}/emulator/v1/${base}`)
  await ask('DELETE', `http://${accounts}/emulator/v1/projects/${project}/accounts`)
  await protectEmails()
}

/** Enables e-mail enumeration protection (F-808): sign-in responds to an unknown address as to a wrong password. */
async function protectEmails(): Promise<void> {
  const url = `http://${accounts}/identitytoolkit.googleapis.com/v2/projects/${project}/config?updateMask=emailPrivacyConfig`
  // A server on which the protection is always enabled may lack the setting.
  await ask('PATCH', url, { emailPrivacyConfig: { enableImprovedEmailPrivacy: true } }).catch(() => undefined)
}

/** Replaces the server's rules, as the emulators' tools do. */
export async function changeRules(content: string): Promise<void> {
  const rules = { files: [{ name: 'firestore.rules', content: `rules_version = '2';\n${content.replace(/^rules_version.*$/m, '')}` }] }
  await ask('PUT', `http://${firestore}/emulator/v1/projects/${project}:securityRules`, { rules })
}

/** Writes a document, bypassing the rules. */
export async function write(route: string, fields: Inputs): Promise<void> {
  await ask('PATCH', `http://${firestore}/v1/${base}/${encodeURI(route)}`, { fields: encodeFields(fields) })
}

/** Deletes a document, bypassing the rules. */
export async function erase(route: string): Promise<void> {
  await ask('DELETE', `http://${firestore}/v1/${base}/${encodeURI(route)}`)
}

/** Reads a document, bypassing the rules; null if it does not exist. */
export async function read(route: string): Promise<Inputs | null> {
  const doc = await ask('GET', `http://${firestore}/v1/${base}/${encodeURI(route)}`)
  return isObject(doc) ? decodeFields(doc['fields']) : null
}

/** Reads all documents of a collection with their ids, bypassing the rules. */
export async function list(collectionName: string): Promise<Inputs[]> {
  const at = await ask('GET', `http://${firestore}/v1/${base}/${encodeURI(collectionName)}?pageSize=300`)
  const docs = isObject(at) && Array.isArray(at['documents']) ? at['documents'] : []
  return docs.filter(isObject).map((d) => ({ id: String(d['name']).split('/').at(-1), ...decodeFields(d['fields']) }))
}

/** Creates an account and returns its uid. */
export async function createAccount({ email, key, name }: Account): Promise<string> {
  const url = `http://${accounts}/identitytoolkit.googleapis.com/v1/projects/${project}/accounts`
  const account = await ask('POST', url, { email: email, password: key, ...(name ? { displayName: name } : {}) })
  return isObject(account) ? String(account['localId']) : ''
}

/** Creates an administrator and returns its uid. */
export async function createAdmin(account: Account = admin, changes: Inputs = {}): Promise<string> {
  const uid = await createAccount(account)
  const [name = '', ...lastNames] = (account.name ?? 'Sin Nombre').split(' ')
  await write(`adminusers/${uid}`, {
    uid,
    firstName: name,
    lastName: lastNames.join(' '),
    displayName: account.name ?? '',
    email: account.email,
    role: 'admin',
    active: true,
    createdAt: new Date('2027-01-01T12:00:00-04:00'),
    signupMethod: 'codigo-secreto',
    ...changes,
  })
  return uid
}

/** Signs in through the page and waits for the next page. */
export async function enter(page: Page, { email, key }: Account = admin): Promise<void> {
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(email)
  await page.getByLabel('Contraseña').fill(key)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('**/AdminView**')
}

/** Opens the panel at a tab, signed in. */
export async function openPanel(page: Page, tab: string, account: Account = admin): Promise<void> {
  await enter(page, account)
  await page.getByRole('tab', { name: tab }).click()
}

/** An event in the form that the panel writes. */
export function event(changes: Inputs = {}): Inputs {
  return {
    title: 'Concierto de prueba',
    description: 'Una descripción',
    location: 'Teatro',
    featuredArtist: '',
    price: null,
    date: '2031-09-05',
    time: '19:30',
    eventDate: new Date('2031-09-05T19:30:00-04:00'),
    createdBy: 'otro',
    createdByEmail: 'otro@x.do',
    createdAt: new Date('2027-01-01T12:00:00-04:00'),
    updatedAt: new Date('2027-01-01T12:00:00-04:00'),
    isPublished: true,
    ...changes,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function encodeFields(fields: Inputs): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, encodeValue(value)]))
}

function encodeValue(value: unknown): object {
  if (value === null) return { nullValue: null }
  if (value instanceof Date) return { timestampValue: value.toISOString() }
  if (typeof value === 'boolean') return { booleanValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { integerValue: String(value) } : { doubleValue: value }
  if (typeof value === 'string') return { stringValue: value }
  throw new Error(`no Firestore value for ${JSON.stringify(value)}`)
}

function decodeFields(fields: unknown): Inputs {
  if (!isObject(fields)) return {}
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, decodeValue(value)]))
}

function decodeValue(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const [kind, detail] = Object.entries(value)[0] ?? []
  if (kind === 'timestampValue') return new Date(String(detail))
  if (kind === 'integerValue') return Number(detail)
  return kind === 'nullValue' ? null : detail
}

/** The one-time codes that the Auth server would have sent by e-mail, the earliest first. */
export async function codesFor(email: string): Promise<{ kind: string; link: string }[]> {
  const at = await ask('GET', `http://${accounts}/emulator/v1/projects/${project}/oobCodes`)
  const codes = isObject(at) && Array.isArray(at['oobCodes']) ? at['oobCodes'] : []
  return codes
    .filter(isObject)
    .filter((code) => code['email'] === email)
    .map((code) => ({ kind: String(code['requestType']), link: String(code['oobLink']) }))
}
