import { expect, test } from '@playwright/test'
import { write, event, read, project, clear } from './admin-world'

test.beforeEach(clear)

const root = `/v1/projects/${project}/databases/(default)/documents`
const privateOnes = [
  'Massive Boletin',
  'ContactRequests',
  'voluntaryAplications',
  'voluntaryApplications',
  'IntrumentRental',
  'adminusers',
  'desconocida',
]

test('S-108 visitors list no private collection, and may list the events', async ({ request }) => {
  for (const collectionName of privateOnes) {
    await write(`${collectionName}/uno`, { email: 'a@x.do', createdAt: new Date() })
    const route = `${root}/${encodeURIComponent(collectionName)}`
    const query = { structuredQuery: { from: [{ collectionId: collectionName }] } }
    const answers = [
      await request.get(route),
      await request.get(`${route}/uno`),
      await request.post(`${root}:runQuery`, { data: query }),
      await request.post(`${root}:runAggregationQuery`, {
        data: { structuredAggregationQuery: { ...query, aggregations: [{ alias: 'n', count: {} }] } },
      }),
    ]
    expect(answers.map((r) => r.status())).toEqual([403, 403, 403, 403])
    expect(await answers[0]?.text()).toContain('PERMISSION_DENIED')
  }
  await write('MusicEvent/uno', event())
  const events = await request.get(`${root}/MusicEvent`)
  expect(events.status()).toBe(200)
  expect((await events.json()).documents).toHaveLength(1)
})

test('S-108 visitors change and delete nothing, not even what they sent', async ({ request }) => {
  const subscription = { email: 'a@x.do', source: 'homepage', createdAt: new Date('2026-01-01T00:00:00Z') }
  await write('Massive Boletin/mia', subscription)
  const route = `${root}/Massive%20Boletin/mia`
  const fields = { fields: { email: { stringValue: 'otra@x.do' } } }
  const answers = [
    await request.patch(`${route}?updateMask.fieldPaths=email`, { data: fields }),
    await request.delete(route),
    await request.patch(`${root}/adminusers/yo`, {
      data: { fields: { role: { stringValue: 'admin' }, active: { booleanValue: true } } },
    }),
    await request.post(`${root}/desconocida`, { data: fields }),
    await request.post(`${root}/MusicEvent`, { data: { fields: { title: { stringValue: 'x' } } } }),
    // A batch is denied completely if one of its writes is denied.
    await request.post(`${root}:commit`, {
      data: {
        writes: [
          {
            update: {
              name: `${root.slice(4)}/Massive Boletin/nueva`,
              fields: { email: { stringValue: 'n@x.do' }, source: { stringValue: 'homepage' } },
            },
            updateTransforms: [{ fieldPath: 'createdAt', setToServerValue: 'REQUEST_TIME' }],
          },
          { delete: `${root.slice(4)}/Massive Boletin/mia` },
        ],
      },
    }),
  ]
  expect(answers.map((r) => r.status())).toEqual([403, 403, 403, 403, 403, 403])
  expect(await read('Massive Boletin/mia')).toEqual(subscription)
  expect(await read('Massive Boletin/nueva')).toBeNull()
})

test('F-803 an account without a record has no access', async ({ request }) => {
  const account = await request.post('/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo', {
    data: { email: 'yo@x.do', password: 'secreta1', returnSecureToken: true },
  })
  test.skip(!account.ok(), 'the server lets nobody sign up')
  const { idToken, localId } = await account.json()
  const headers = { Authorization: `Bearer ${idToken}` }
  const own = { fields: { uid: { stringValue: localId }, role: { stringValue: 'admin' }, active: { booleanValue: true } } }
  const answers = [
    await request.get(`${root}/ContactRequests`, { headers }),
    await request.get(`${root}/adminusers/${localId}`, { headers }),
    await request.patch(`${root}/adminusers/${localId}`, { headers, data: own }),
  ]
  expect(answers.map((r) => r.status())).toEqual([403, 403, 403])
})

test('S-111 F-809 every answer carries the headers that protect it', async ({ request }) => {
  const cover = await request.get('/')
  const resource = /\/assets\/[\w.-]+\.js/.exec(await cover.text())?.[0] ?? '/assets/'
  for (const route of ['/', '/LogIn', '/AdminView', resource]) {
    const answer = await request.get(route)
    const received = answer.headers()
    const csp = received['content-security-policy']
    expect(answer.status(), route).toBe(200)
    expect(csp, route).toMatch(/default-src 'self'.*frame-ancestors 'none'/)
    expect(csp, route).not.toContain('unsafe')
    expect(received['x-content-type-options'], route).toBe('nosniff')
    expect(received['referrer-policy'], route).toBeTruthy()
    expect(received['strict-transport-security'], route).toContain('max-age=')
    if (route.startsWith('/assets')) expect(received['cache-control']).toContain('immutable')
    if (route === '/LogIn' || route === '/AdminView') {
      expect(received['cache-control']).toContain('no-store')
      expect(received['x-robots-tag']).toContain('noindex')
    }
  }
})
