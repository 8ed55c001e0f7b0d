// Creates documents with the web SDK and waits, as a page does, for the documents that functions write. Prints one line of JSON.
import { createRequire } from 'node:module'
const require = createRequire(process.env.WEB_SDK)
const { initializeApp } = require('firebase/app')
const { getFirestore, connectFirestoreEmulator, doc, setDoc, deleteDoc, onSnapshot, setLogLevel } = require('firebase/firestore')
const { getAuth, connectAuthEmulator, signInAnonymously } = require('firebase/auth')

setLogLevel('error')
const limit = 400_000 // milliseconds
setTimeout(() => {
  console.error('not done in time')
  process.exit(1)
}, limit)
const projectId = process.env.GCLOUD_PROJECT
const app = initializeApp({ projectId, apiKey: 'demo' })
const db = getFirestore(app)
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':')
connectFirestoreEmulator(db, host, Number(port))

// seen waits until a document meets a condition.
const seen = (path, wanted) =>
  new Promise((resolve, reject) => {
    const stop = onSnapshot(doc(db, path), (s) => s.exists() && wanted(s.data()) && (stop(), resolve(s.data())), reject)
  })

const settle = async () => {
  const response = await fetch(`http://${host}:${port}/emulator/v1/projects/${projectId}:settle`, { method: 'POST', body: '{"timeout":"120s"}' })
  if (!response.ok) throw new Error(`settle: ${response.status} ${await response.text()}`)
}

const documents = Number(process.env.DOCUMENTS)
const whole = seen('sum/all', (data) => data.n >= documents)
const atOnce = 2 // the functions emulator starts a process for each concurrent call
for (let i = 0; i < documents; i += atOnce) {
  const some = Array.from({ length: Math.min(atOnce, documents - i) }, (_, j) => setDoc(doc(db, `c/d${i + j}`), { n: i + j }))
  await Promise.all(some)
  await settle()
}
const refused = await setDoc(doc(db, 'c/bad'), { n: 'text' }).then(() => 'allowed', (e) => e.code)
const sum = await whole
await deleteDoc(doc(db, 'c/d0'))
await settle()
const result = { sum: sum.n, refused }
if (process.env.FIREBASE_AUTH_EMULATOR_HOST) {
  const auth = getAuth(app)
  connectAuthEmulator(auth, `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}`, { disableWarnings: true })
  const { user } = await signInAnonymously(auth)
  result.greeted = await seen(`greeted/${user.uid}`, () => true)
}

// Reads the stored documents without rules.
const list = async (collection) => {
  const url = `http://${host}:${port}/v1/projects/${projectId}/databases/(default)/documents/${collection}?pageSize=1000`
  const response = await fetch(url, { headers: { authorization: 'Bearer owner' } })
  return (await response.json()).documents ?? []
}
result.log = (await list('log')).length
result.gone = (await list('gone')).length
result.noted = (await list('noted')).map((d) => d.fields.by.stringValue)
console.log('RESULT ' + JSON.stringify(result))
process.exit(0)
