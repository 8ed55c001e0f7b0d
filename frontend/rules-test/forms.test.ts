import { assertFails, assertSucceeds, type RulesTestEnvironment } from '@firebase/rules-unit-testing'
import {
  addDoc,
  collection,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  orderBy,
  query,
  serverTimestamp,
  setDoc,
  Timestamp,
  updateDoc,
} from 'firebase/firestore'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { as, everybody, given, reset, start, type Person } from './people'
import { accepted, changed, forms, refused, stored } from './shapes'

let env: RulesTestEnvironment
beforeAll(async () => {
  env = await start('demo-reglas-formularios')
})
beforeEach(() => reset(env))
afterAll(() => env.cleanup())

const others = everybody.filter((person) => person !== 'admin')

describe.each(Object.entries(forms))('%s', (name, form) => {
  it.each(everybody)('may be sent by %s', async (person) => {
    await assertSucceeds(addDoc(collection(as(env, person).firestore(), name), form))
  })
  it.each(accepted[name] ?? [])('may have %s', async (_, change) => {
    await assertSucceeds(addDoc(collection(as(env, 'visitor').firestore(), name), changed(form, change)))
  })
  it.each(refused[name] ?? [])('may not have %s, even from an administrator', async (_, change) => {
    for (const person of ['visitor', 'admin'] as const) {
      await assertFails(addDoc(collection(as(env, person).firestore(), name), changed(form, change)))
    }
  })
  it.each(others)('can’t be read, changed or deleted by %s', async (person) => {
    await given(env, `${name}/one`, stored(form))
    const db = as(env, person).firestore()
    const one = doc(db, name, 'one')
    await assertFails(getDoc(one))
    await assertFails(getDocs(query(collection(db, name), orderBy('createdAt', 'desc'))))
    await assertFails(updateDoc(one, { email: 'otra@correo.do' }))
    await assertFails(setDoc(one, form))
    await assertFails(deleteDoc(one))
    if ('status' in form) await assertFails(updateDoc(one, move(person, 'resolved')))
  })
  it('is read, and never deleted or rewritten, by an administrator', async () => {
    await given(env, `${name}/one`, stored(form))
    const db = as(env, 'admin').firestore()
    const one = doc(db, name, 'one')
    await assertSucceeds(getDoc(one))
    await assertSucceeds(getDocs(query(collection(db, name), orderBy('createdAt', 'desc'))))
    await assertFails(updateDoc(one, { email: 'otra@correo.do' }))
    await assertFails(setDoc(one, form))
    await assertFails(deleteDoc(one))
  })
})

const withStatus = Object.entries(forms).filter(([, form]) => 'status' in form)
describe.each(withStatus)('the status of %s', (name, form) => {
  const one = () => doc(as(env, 'admin').firestore(), name, 'one')
  beforeEach(() => given(env, `${name}/one`, stored(form)))

  it.each(['new', 'in-progress', 'resolved', 'discarded'])('may become %s', async (status) => {
    await assertSucceeds(updateDoc(one(), move('admin', status)))
  })
  it.each([
    ['another word', move('admin', 'pending')],
    ['an empty word', move('admin', '')],
    ['a number', { ...move('admin', 'resolved'), status: 2 }],
    ['no signature', { status: 'resolved', statusAt: serverTimestamp() }],
    ['no date', { status: 'resolved', statusBy: 'admin' }],
    ['somebody else’s signature', move('inactive', 'resolved')],
    ['a date of its own', { ...move('admin', 'resolved'), statusAt: Timestamp.fromMillis(1) }],
    ['another change beside it', { ...move('admin', 'resolved'), message: 'otro' }],
    ['a new field beside it', { ...move('admin', 'resolved'), note: 'x' }],
  ])('may not be given with %s', async (_, change) => {
    await assertFails(updateDoc(one(), change))
  })
})

it('a subscription has no status', async () => {
  await given(env, 'Massive Boletin/one', stored(forms['Massive Boletin'] ?? {}))
  await assertFails(updateDoc(doc(as(env, 'admin').firestore(), 'Massive Boletin', 'one'), move('admin', 'resolved')))
})

/** A change of status with its author and time. */
function move(by: Person, status: string) {
  return { status, statusBy: by, statusAt: serverTimestamp() }
}
