// Signs a site in as a user, for development. The page runs on the site's origin. It stores the user where the Firebase SDK
// of the site's pages looks for the user of an earlier visit, then opens the site.

const ENGLISH = {
  wait: 'Signing in…',
  used: 'This link was used already or is too old. Open the site from the console again.',
  ask: 'The site’s files do not show its API key (apiKey in its Firebase configuration). Enter it to continue.',
  label: 'API key',
  open: 'Open the site',
}
const SPANISH = {
  wait: 'Entrando…',
  used: 'Este enlace ya se usó o es demasiado viejo. Abra el sitio de nuevo desde la consola.',
  ask: 'Los archivos del sitio no muestran su clave de API (apiKey en su configuración de Firebase). Escríbala para continuar.',
  label: 'Clave de API',
  open: 'Abrir el sitio',
}
const spanish = navigator.language.startsWith('es')
const texts = spanish ? SPANISH : ENGLISH
document.documentElement.lang = spanish ? 'es' : 'en'

/** An element of the page, by its id. */
const element = (id) => document.getElementById(id)

// The key under which the page stores the last API key.
const ENTERED = 'clave:apiKey'

// The maximum number of the site's files that are searched for API keys.
const MAX_FILES = 100

/** The API keys in the configurations in the site's files. */
async function findKeys() {
  const keys = new Set()
  const waiting = [new URL('/', location.href).href]
  const seen = new Set(waiting)
  for (let url = waiting.shift(); url && seen.size <= MAX_FILES; url = waiting.shift()) {
    const response = await fetch(url).catch(() => null)
    if (!response?.ok) continue
    const text = await response.text()
    for (const [, key] of text.matchAll(/\bapiKey["']?\s*:\s*["'`]([^"'`]+)["'`]/g)) keys.add(key)
    for (const [, name] of text.matchAll(/["'`]([^"'`\s<>]+\.m?js(?:\?[^"'`\s<>]*)?)["'`]/g)) {
      // Scripts refer to others by relative paths or, in a preload list, by paths from the site's root.
      for (const base of [url, location.origin]) {
        const found = URL.canParse(name, base) ? new URL(name, base) : null
        if (!found || found.origin !== location.origin || seen.has(found.href)) continue
        seen.add(found.href)
        waiting.push(found.href)
      }
    }
  }
  return [...keys]
}

/** The user in the form that the SDK stores. */
function stored({ user, tokens }, apiKey) {
  const optional = (value) => value || undefined
  const { localId: uid, email, displayName, phoneNumber, photoUrl } = user
  const provider = ({ providerId, rawId, ...other }) => ({
    providerId,
    uid: rawId || '',
    displayName: other.displayName || null,
    email: other.email || null,
    phoneNumber: other.phoneNumber || null,
    photoURL: other.photoUrl || null,
  })
  return {
    uid,
    email: optional(email),
    emailVerified: user.emailVerified ?? false,
    displayName: optional(displayName),
    isAnonymous: !email && !user.providerUserInfo?.length,
    photoURL: optional(photoUrl),
    phoneNumber: optional(phoneNumber),
    tenantId: optional(user.tenantId),
    providerData: (user.providerUserInfo ?? []).map(provider),
    stsTokenManager: {
      refreshToken: tokens.refreshToken,
      accessToken: tokens.idToken,
      expirationTime: Date.now() + Number(tokens.expiresIn) * 1000,
    },
    createdAt: user.createdAt,
    lastLoginAt: user.lastLoginAt,
    apiKey,
    appName: '[DEFAULT]',
  }
}

/** Resolves with the result of a request to IndexedDB. */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Stores a user in every place that the SDK may be configured to use. */
async function store(user) {
  const key = `firebase:authUser:${user.apiKey}:${user.appName}`
  for (const storage of [localStorage, sessionStorage]) storage.setItem(key, JSON.stringify(user))
  const opening = indexedDB.open('firebaseLocalStorageDb', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('firebaseLocalStorage', { keyPath: 'fbase_key' })
  const db = await done(opening)
  await done(db.transaction('firebaseLocalStorage', 'readwrite').objectStore('firebaseLocalStorage').put({ fbase_key: key, value: user }))
  db.close()
}

/** Stores the user for some API keys and opens the site. */
async function open(found, keys) {
  for (const key of keys) await store(JSON.parse(JSON.stringify(stored(found, key))))
  location.replace('/')
}

const code = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
element('text').textContent = texts.wait
const response = await fetch(location.pathname, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ code }),
})
if (response.ok) {
  const found = await response.json()
  const keys = await findKeys()
  if (keys.length > 0) await open(found, keys)
  else {
    element('text').textContent = texts.ask
    element('label').textContent = texts.label
    element('open').textContent = texts.open
    element('key').value = localStorage.getItem(ENTERED) ?? ''
    element('form').hidden = false
    element('key').focus()
    element('form').addEventListener('submit', (event) => {
      event.preventDefault()
      localStorage.setItem(ENTERED, element('key').value)
      void open(found, [element('key').value])
    })
  }
} else element('text').textContent = texts.used
