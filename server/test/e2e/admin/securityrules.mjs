// securityRules() of firebase-admin, by clave/admin: rulesets and the release of the default database.
// CLAVE_ADMIN_API is the URL of the administration APIs.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { getSecurityRules } from 'firebase-admin/security-rules'
import { claveApp } from 'clave/admin'
import { ca, call, key, methods, rejects, tracked, unique } from './setup.mjs'

const app = claveApp({ key, ca, adminApi: process.env.CLAVE_ADMIN_API, firestore: false })
const called = new Set()
const rules = tracked(getSecurityRules(app), '', called)
const project = app.options.projectId

after(() => deleteApp(app))

/** Returns rules that let everyone read a collection. */
const open = (collection) => `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /${collection}/{id} { allow read: if true; } } }`

/** Returns the status of a read of a collection by everyone. */
const read = async (collection) => (await call(`/v1/projects/${project}/databases/(default)/documents/${collection}/none`, null, { method: 'GET' })).status

test('rules are released and in force at once', async () => {
  const [first, second] = [unique('a').replace('-', ''), unique('b').replace('-', '')]
  const before = await rules.getFirestoreRuleset()
  assert.equal(await read(first), 403)
  const released = await rules.releaseFirestoreRulesetFromSource(open(first))
  assert.equal(await read(first), 404)
  const now = await rules.getFirestoreRuleset()
  assert.equal(now.name, released.name)
  assert.deepEqual(now.source, [{ name: 'firestore.rules', content: open(first) }])
  assert.ok(Date.parse(now.createTime) > 0)
  const created = await rules.createRuleset(rules.createRulesFileFromSource('second.rules', Buffer.from(open(second))))
  assert.equal(await read(second), 403)
  await rules.releaseFirestoreRuleset(created)
  assert.deepEqual([await read(first), await read(second)], [403, 404])
  await rules.releaseFirestoreRuleset(before.name)
  assert.equal((await rules.getRuleset(released.name)).source[0].content, open(first))
  await rules.deleteRuleset(released.name)
  await rejects(rules.getRuleset(released.name), 'security-rules/not-found')
  await rules.deleteRuleset(created.name)
})

test('rulesets are listed in pages', async () => {
  const made = []
  for (let n = 0; n < 3; n++) made.push((await rules.createRuleset({ name: 'firestore.rules', content: open(unique('c').replace('-', '')) })).name)
  const listed = []
  for (let pageToken; ; ) {
    const page = await rules.listRulesetMetadata(2, pageToken)
    listed.push(...page.rulesets.map(({ name, createTime }) => (assert.ok(Date.parse(createTime) > 0), name)))
    if (!(pageToken = page.nextPageToken)) break
  }
  assert.deepEqual(made.filter((name) => !listed.includes(name)), [])
  assert.equal(new Set(listed).size, listed.length)
  for (const name of made) await rules.deleteRuleset(name)
})

test('what is refused changes nothing', async () => {
  const before = await rules.getFirestoreRuleset()
  await rejects(rules.releaseFirestoreRulesetFromSource('service cloud.firestore { match /a/{x} { allow read if true; } }'), 'security-rules/invalid-argument')
  await rejects(rules.releaseFirestoreRuleset('00000000-0000-8000-8000-000000000000'), 'security-rules/not-found')
  await assert.rejects(rules.deleteRuleset(before.name), /referenced by a release/)
  await assert.rejects(rules.getStorageRuleset('bucket'), /cloud\.firestore only/)
  assert.equal((await rules.getFirestoreRuleset()).name, before.name)
})

test('the other services of the app are at the public port', async () => assert.ok((await getAuth(app).listUsers(1)).users))

test('every method was called, except those of Cloud Storage', () => {
  const storage = ['releaseStorageRulesetFromSource', 'releaseStorageRuleset', 'getBucketName', 'getRulesetForRelease', 'releaseRuleset']
  assert.deepEqual(methods(getSecurityRules(app), '').filter((name) => !called.has(name) && !storage.includes(name)), [])
})
