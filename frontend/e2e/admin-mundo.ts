import type { Page } from '@playwright/test'

/** The project and the servers under test, as `clave exec` and the emulators' own tools name them. */
export const proyecto = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
const firestore = process.env['FIRESTORE_EMULATOR_HOST'] ?? '127.0.0.1:8080'
const cuentas = process.env['FIREBASE_AUTH_EMULATOR_HOST'] ?? '127.0.0.1:9099'
const base = `projects/${proyecto}/databases/(default)/documents`

/** The sign-up code of the server under test. */
export const codigo = process.env['ADMIN_SIGNUP_CODE'] ?? 'demo-codigo-fundacion'

/** What a document holds: plain values and dates. */
export type Campos = Record<string, unknown>

/** Somebody who can sign in. */
export type Cuenta = { correo: string; clave: string; nombre?: string }

export const admin = { correo: 'admin@x.do', clave: 'secreta1', nombre: 'Ana Pérez' } satisfies Cuenta
export const ajena = { correo: 'ajena@x.do', clave: 'secreta2', nombre: 'Ajena' } satisfies Cuenta

/** Asks a server as its owner, past the rules. */
async function pedir(metodo: string, url: string, cuerpo?: object): Promise<unknown> {
  const respuesta = await fetch(url, {
    method: metodo,
    headers: { Authorization: 'Bearer owner', 'Content-Type': 'application/json' },
    ...(cuerpo ? { body: JSON.stringify(cuerpo) } : {}),
  })
  if (respuesta.status === 404 && metodo === 'GET') return null
  if (!respuesta.ok) throw new Error(`${metodo} ${url}: ${respuesta.status} ${await respuesta.text()}`)
  return respuesta.json()
}

/** Leaves nothing in the servers, and sign-in as it is in production. */
export async function vaciar(): Promise<void> {
  await pedir('DELETE', `http://${firestore}/emulator/v1/${base}`)
  await pedir('DELETE', `http://${cuentas}/emulator/v1/projects/${proyecto}/accounts`)
  await protegerCorreos()
}

/** Makes sign-in answer an unknown address and a wrong password alike (F-808), where that is not so already. */
async function protegerCorreos(): Promise<void> {
  const url = `http://${cuentas}/identitytoolkit.googleapis.com/v2/projects/${proyecto}/config?updateMask=emailPrivacyConfig`
  // A server that always does so need not know the setting.
  await pedir('PATCH', url, { emailPrivacyConfig: { enableImprovedEmailPrivacy: true } }).catch(() => undefined)
}

/** Gives the server other rules, as the emulators' own tools do. */
export async function cambiarReglas(content: string): Promise<void> {
  const rules = { files: [{ name: 'firestore.rules', content: `rules_version = '2';\n${content.replace(/^rules_version.*$/m, '')}` }] }
  await pedir('PUT', `http://${firestore}/emulator/v1/projects/${proyecto}:securityRules`, { rules })
}

/** Writes a document past the rules. */
export async function escribir(ruta: string, campos: Campos): Promise<void> {
  await pedir('PATCH', `http://${firestore}/v1/${base}/${encodeURI(ruta)}`, { fields: codificar(campos) })
}

/** Deletes a document past the rules. */
export async function borrar(ruta: string): Promise<void> {
  await pedir('DELETE', `http://${firestore}/v1/${base}/${encodeURI(ruta)}`)
}

/** A document past the rules, null where there is none. */
export async function leer(ruta: string): Promise<Campos | null> {
  const documento = await pedir('GET', `http://${firestore}/v1/${base}/${encodeURI(ruta)}`)
  return esObjeto(documento) ? decodificar(documento['fields']) : null
}

/** All documents of a collection, past the rules, each with its id. */
export async function listar(coleccion: string): Promise<Campos[]> {
  const pagina = await pedir('GET', `http://${firestore}/v1/${base}/${encodeURI(coleccion)}?pageSize=300`)
  const documentos = esObjeto(pagina) && Array.isArray(pagina['documents']) ? pagina['documents'] : []
  return documentos.filter(esObjeto).map((d) => ({ id: String(d['name']).split('/').at(-1), ...decodificar(d['fields']) }))
}

/** Makes an account and returns its uid. */
export async function crearCuenta({ correo, clave, nombre }: Cuenta): Promise<string> {
  const url = `http://${cuentas}/identitytoolkit.googleapis.com/v1/projects/${proyecto}/accounts`
  const cuenta = await pedir('POST', url, { email: correo, password: clave, ...(nombre ? { displayName: nombre } : {}) })
  return esObjeto(cuenta) ? String(cuenta['localId']) : ''
}

/** Makes an administrator and returns its uid. */
export async function crearAdmin(cuenta: Cuenta = admin, cambios: Campos = {}): Promise<string> {
  const uid = await crearCuenta(cuenta)
  const [nombre = '', ...apellidos] = (cuenta.nombre ?? 'Sin Nombre').split(' ')
  await escribir(`adminusers/${uid}`, {
    uid,
    firstName: nombre,
    lastName: apellidos.join(' '),
    displayName: cuenta.nombre ?? '',
    email: cuenta.correo,
    role: 'admin',
    active: true,
    createdAt: new Date('2027-01-01T12:00:00-04:00'),
    signupMethod: 'codigo-secreto',
    ...cambios,
  })
  return uid
}

/** Signs in through the page and waits for what comes after. */
export async function entrar(page: Page, { correo, clave }: Cuenta = admin): Promise<void> {
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(correo)
  await page.getByLabel('Contraseña').fill(clave)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('**/AdminView**')
}

/** Opens the panel at a tab, signed in. */
export async function abrirPanel(page: Page, pestana: string, cuenta: Cuenta = admin): Promise<void> {
  await entrar(page, cuenta)
  await page.getByRole('tab', { name: pestana }).click()
}

/** An event as the panel writes it. */
export function evento(cambios: Campos = {}): Campos {
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
    ...cambios,
  }
}

function esObjeto(valor: unknown): valor is Record<string, unknown> {
  return typeof valor === 'object' && valor !== null
}

function codificar(campos: Campos): Record<string, object> {
  return Object.fromEntries(Object.entries(campos).map(([nombre, valor]) => [nombre, codificarValor(valor)]))
}

function codificarValor(valor: unknown): object {
  if (valor === null) return { nullValue: null }
  if (valor instanceof Date) return { timestampValue: valor.toISOString() }
  if (typeof valor === 'boolean') return { booleanValue: valor }
  if (typeof valor === 'number') return Number.isInteger(valor) ? { integerValue: String(valor) } : { doubleValue: valor }
  if (typeof valor === 'string') return { stringValue: valor }
  throw new Error(`no Firestore value for ${JSON.stringify(valor)}`)
}

function decodificar(campos: unknown): Campos {
  if (!esObjeto(campos)) return {}
  return Object.fromEntries(Object.entries(campos).map(([nombre, valor]) => [nombre, decodificarValor(valor)]))
}

function decodificarValor(valor: unknown): unknown {
  if (!esObjeto(valor)) return undefined
  const [tipo, dato] = Object.entries(valor)[0] ?? []
  if (tipo === 'timestampValue') return new Date(String(dato))
  if (tipo === 'integerValue') return Number(dato)
  return tipo === 'nullValue' ? null : dato
}
