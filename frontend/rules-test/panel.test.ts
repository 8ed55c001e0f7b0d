import { assertFails, assertSucceeds, type RulesTestEnvironment } from '@firebase/rules-unit-testing'
import {
  addDoc,
  collection,
  collectionGroup,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  limit,
  orderBy,
  query,
  serverTimestamp,
  setDoc,
  Timestamp,
  updateDoc,
  where,
} from 'firebase/firestore'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { as, everybody, given, reset, start } from './people'
import { changed, draft, draftsAccepted, draftsRefused, event, eventsAccepted, eventsRefused, stored, whole } from './shapes'

let env: RulesTestEnvironment
beforeAll(async () => {
  env = await start('demo-reglas-panel')
})
beforeEach(() => reset(env))
afterAll(() => env.cleanup())

const others = everybody.filter((person) => person !== 'admin')

describe('MusicEvent', () => {
  beforeEach(() => given(env, 'MusicEvent/one', stored(event)))

  it.each(everybody)('is read by %s, one by one and by the site’s queries', async (person) => {
    const db = as(env, person).firestore()
    const events = collection(db, 'MusicEvent')
    await assertSucceeds(getDoc(doc(db, 'MusicEvent', 'one')))
    await assertSucceeds(getDocs(query(events, where('eventDate', '>=', Timestamp.now()), orderBy('eventDate'), limit(3))))
    await assertSucceeds(getDocs(query(events, orderBy('eventDate'))))
  })
  it.each(others)('is not written by %s', async (person) => {
    const db = as(env, person).firestore()
    const one = doc(db, 'MusicEvent', 'one')
    await assertFails(addDoc(collection(db, 'MusicEvent'), event))
    await assertFails(setDoc(doc(db, 'MusicEvent', 'two'), event))
    await assertFails(updateDoc(one, { title: 'Otro', updatedAt: serverTimestamp() }))
    await assertFails(deleteDoc(one))
  })
  it.each(eventsAccepted)('may be created with %s', async (_, change) => {
    const db = as(env, 'admin').firestore()
    await assertSucceeds(setDoc(doc(db, 'MusicEvent', 'two'), changed(event, change)))
  })
  it.each(eventsRefused)('may not be created with %s', async (_, change) => {
    const db = as(env, 'admin').firestore()
    await assertFails(setDoc(doc(db, 'MusicEvent', 'two'), changed(event, change)))
  })
  it('is edited and deleted by an administrator, whose change is dated now', async () => {
    const one = doc(as(env, 'admin').firestore(), 'MusicEvent', 'one')
    await assertSucceeds(updateDoc(one, { title: 'Otro', price: 10.5, updatedAt: serverTimestamp() }))
    await assertFails(updateDoc(one, { title: 'Sin fecha' }))
    await assertFails(updateDoc(one, { title: 'Ayer', updatedAt: Timestamp.fromMillis(1) }))
    await assertFails(updateDoc(one, { createdAt: serverTimestamp(), updatedAt: serverTimestamp() }))
    await assertFails(updateDoc(one, { createdBy: 'otro', updatedAt: serverTimestamp() }))
    await assertFails(updateDoc(one, { createdByEmail: 'otro@correo.do', updatedAt: serverTimestamp() }))
    await assertFails(updateDoc(one, { title: '', updatedAt: serverTimestamp() }))
    await assertFails(updateDoc(one, { extra: 1, updatedAt: serverTimestamp() }))
    await assertSucceeds(deleteDoc(one))
  })
})

describe('adminusers', () => {
  it('is read by administrators', async () => {
    const db = as(env, 'admin').firestore()
    await assertSucceeds(getDoc(doc(db, 'adminusers', 'inactive')))
    await assertSucceeds(getDocs(query(collection(db, 'adminusers'), orderBy('createdAt', 'desc'))))
  })
  it.each(others)('is not read by %s, not even the own record', async (person) => {
    const db = as(env, person).firestore()
    await assertFails(getDoc(doc(db, 'adminusers', person)))
    await assertFails(getDoc(doc(db, 'adminusers', 'admin')))
    await assertFails(getDocs(query(collection(db, 'adminusers'), orderBy('createdAt', 'desc'))))
  })
  it.each(everybody)('is not written by %s', async (person) => {
    const db = as(env, person).firestore()
    const record = { uid: person, role: 'admin', active: true, createdAt: serverTimestamp() }
    await assertFails(setDoc(doc(db, 'adminusers', person), record))
    await assertFails(setDoc(doc(db, 'adminusers', 'somebody'), record))
    await assertFails(updateDoc(doc(db, 'adminusers', 'inactive'), { active: true }))
    await assertFails(deleteDoc(doc(db, 'adminusers', 'admin')))
  })
  it('ends the session of an administrator made inactive at once', async () => {
    const events = collection(as(env, 'admin').firestore(), 'MusicEvent')
    await assertSucceeds(addDoc(events, event))
    await env.withSecurityRulesDisabled((context) => updateDoc(doc(context.firestore(), 'adminusers', 'admin'), { active: false }))
    await assertFails(addDoc(events, event))
    await assertFails(getDocs(collection(as(env, 'admin').firestore(), 'ContactRequests')))
  })
})

describe('voluntaryApplications', () => {
  beforeEach(() => given(env, 'voluntaryApplications/one', { fullName: 'Ana', motivation: 'Sí', createdAt: Timestamp.now() }))

  it('is read by administrators and not writable', async () => {
    for (const person of everybody) {
      const db = as(env, person).firestore()
      const read = person === 'admin' ? assertSucceeds : assertFails
      await read(getDoc(doc(db, 'voluntaryApplications', 'one')))
      await read(getDocs(query(collection(db, 'voluntaryApplications'), orderBy('createdAt', 'desc'))))
      await assertFails(addDoc(collection(db, 'voluntaryApplications'), { fullName: 'X', createdAt: serverTimestamp() }))
      await assertFails(updateDoc(doc(db, 'voluntaryApplications', 'one'), { status: 'resolved' }))
      await assertFails(deleteDoc(doc(db, 'voluntaryApplications', 'one')))
    }
  })
})

describe('MusicEventDrafts', () => {
  beforeEach(() => given(env, 'MusicEventDrafts/one', stored(draft)))

  it.each(others)('is neither read nor written by %s', async (person) => {
    const db = as(env, person).firestore()
    const one = doc(db, 'MusicEventDrafts', 'one')
    await assertFails(getDoc(one))
    await assertFails(getDocs(collection(db, 'MusicEventDrafts')))
    await assertFails(setDoc(doc(db, 'MusicEventDrafts', 'two'), { ...draft, createdBy: person }))
    await assertFails(updateDoc(one, { title: 'Otro', updatedAt: serverTimestamp() }))
    await assertFails(deleteDoc(one))
  })
  it.each(draftsAccepted)('may be created with %s', async (_, change) => {
    const db = as(env, 'admin').firestore()
    await assertSucceeds(setDoc(doc(db, 'MusicEventDrafts', 'two'), changed(draft, change)))
  })
  it.each(draftsRefused)('may not be created with %s', async (_, change) => {
    const db = as(env, 'admin').firestore()
    await assertFails(setDoc(doc(db, 'MusicEventDrafts', 'two'), changed(draft, change)))
  })
  it('is listed, changed, given its moment and deleted by an administrator', async () => {
    const db = as(env, 'admin').firestore()
    const one = doc(db, 'MusicEventDrafts', 'one')
    const now = { updatedAt: serverTimestamp() }
    await assertSucceeds(getDocs(query(collection(db, 'MusicEventDrafts'), orderBy('updatedAt', 'desc'))))
    await assertFails(updateDoc(one, { publishAt: Timestamp.now(), ...now }))
    await assertFails(updateDoc(one, { createdBy: 'otro', ...now }))
    await assertFails(updateDoc(one, whole))
    await assertSucceeds(updateDoc(one, { ...whole, ...now }))
    await assertSucceeds(updateDoc(one, { publishAt: Timestamp.now(), ...now }))
    await assertFails(updateDoc(one, { location: '', ...now }))
    await assertSucceeds(deleteDoc(one))
  })
})

describe('erasures', () => {
  beforeEach(() => given(env, 'erasures/one', { reason: 'request', counts: { ContactRequests: 1 } }))

  it('are read by administrators and not writable', async () => {
    for (const person of everybody) {
      const db = as(env, person).firestore()
      const read = person === 'admin' ? assertSucceeds : assertFails
      await read(getDoc(doc(db, 'erasures', 'one')))
      await assertFails(addDoc(collection(db, 'erasures'), { reason: 'request' }))
      await assertFails(updateDoc(doc(db, 'erasures', 'one'), { reason: 'x' }))
      await assertFails(deleteDoc(doc(db, 'erasures', 'one')))
    }
  })
})

describe('anything else', () => {
  it.each(everybody)('is closed to %s', async (person) => {
    await given(env, 'secrets/one', { a: 1 })
    await given(env, 'MusicEvent/one/notes/two', { a: 1 })
    const db = as(env, person).firestore()
    await assertFails(getDoc(doc(db, 'secrets', 'one')))
    await assertFails(getDocs(collection(db, 'secrets')))
    await assertFails(setDoc(doc(db, 'secrets', 'two'), { a: 1 }))
    await assertFails(getDoc(doc(db, 'MusicEvent/one/notes/two')))
    await assertFails(getDocs(collectionGroup(db, 'MusicEvent')))
    await assertFails(getDocs(collectionGroup(db, 'ContactRequests')))
  })
})

describe.each(['Newsletters', 'NewsletterAddresses', 'BackOffice', 'Newsletters/issue/deliveries'])('%s', (name) => {
  beforeEach(() => given(env, `${name}/one`, { email: 'ana@correo.do', createdAt: Timestamp.now() }))

  it.each(everybody)('is not written by %s', async (person) => {
    const db = as(env, person).firestore()
    await assertFails(addDoc(collection(db, name), { subject: 'Hola' }))
    await assertFails(setDoc(doc(db, name, 'one'), { subject: 'Hola' }))
    await assertFails(updateDoc(doc(db, name, 'one'), { state: 'sent' }))
    await assertFails(deleteDoc(doc(db, name, 'one')))
  })
  it.each(everybody.filter((person) => person !== 'admin' || name !== 'Newsletters'))('is not read by %s', async (person) => {
    const db = as(env, person).firestore()
    await assertFails(getDoc(doc(db, name, 'one')))
    await assertFails(getDocs(query(collection(db, name), orderBy('createdAt', 'desc'))))
  })
})

it('an administrator reads the issues of the newsletter', async () => {
  await given(env, 'Newsletters/one', { subject: 'Hola', createdAt: Timestamp.now() })
  const db = as(env, 'admin').firestore()
  await assertSucceeds(getDoc(doc(db, 'Newsletters', 'one')))
  await assertSucceeds(getDocs(query(collection(db, 'Newsletters'), orderBy('createdAt', 'desc'), limit(3))))
})
