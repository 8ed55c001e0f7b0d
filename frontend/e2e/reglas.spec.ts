import { expect, test } from '@playwright/test'
import { escribir, evento, leer, proyecto, vaciar } from './admin-mundo'

test.beforeEach(vaciar)

const raiz = `/v1/projects/${proyecto}/databases/(default)/documents`
const privadas = [
  'Massive Boletin',
  'ContactRequests',
  'voluntaryAplications',
  'voluntaryApplications',
  'IntrumentRental',
  'adminusers',
  'desconocida',
]

test('S-108 visitors list no private collection, and may list the events', async ({ request }) => {
  for (const coleccion of privadas) {
    await escribir(`${coleccion}/uno`, { email: 'a@x.do', createdAt: new Date() })
    const ruta = `${raiz}/${encodeURIComponent(coleccion)}`
    const consulta = { structuredQuery: { from: [{ collectionId: coleccion }] } }
    const respuestas = [
      await request.get(ruta),
      await request.get(`${ruta}/uno`),
      await request.post(`${raiz}:runQuery`, { data: consulta }),
      await request.post(`${raiz}:runAggregationQuery`, {
        data: { structuredAggregationQuery: { ...consulta, aggregations: [{ alias: 'n', count: {} }] } },
      }),
    ]
    expect(respuestas.map((r) => r.status())).toEqual([403, 403, 403, 403])
    expect(await respuestas[0]?.text()).toContain('PERMISSION_DENIED')
  }
  await escribir('MusicEvent/uno', evento())
  const eventos = await request.get(`${raiz}/MusicEvent`)
  expect(eventos.status()).toBe(200)
  expect((await eventos.json()).documents).toHaveLength(1)
})

test('S-108 visitors change and delete nothing, not even what they sent', async ({ request }) => {
  const suscripcion = { email: 'a@x.do', source: 'homepage', createdAt: new Date('2026-01-01T00:00:00Z') }
  await escribir('Massive Boletin/mia', suscripcion)
  const ruta = `${raiz}/Massive%20Boletin/mia`
  const campos = { fields: { email: { stringValue: 'otra@x.do' } } }
  const respuestas = [
    await request.patch(`${ruta}?updateMask.fieldPaths=email`, { data: campos }),
    await request.delete(ruta),
    await request.patch(`${raiz}/adminusers/yo`, {
      data: { fields: { role: { stringValue: 'admin' }, active: { booleanValue: true } } },
    }),
    await request.post(`${raiz}/desconocida`, { data: campos }),
    await request.post(`${raiz}/MusicEvent`, { data: { fields: { title: { stringValue: 'x' } } } }),
    // A batch is denied whole when one of its writes is.
    await request.post(`${raiz}:commit`, {
      data: {
        writes: [
          {
            update: {
              name: `${raiz.slice(4)}/Massive Boletin/nueva`,
              fields: { email: { stringValue: 'n@x.do' }, source: { stringValue: 'homepage' } },
            },
            updateTransforms: [{ fieldPath: 'createdAt', setToServerValue: 'REQUEST_TIME' }],
          },
          { delete: `${raiz.slice(4)}/Massive Boletin/mia` },
        ],
      },
    }),
  ]
  expect(respuestas.map((r) => r.status())).toEqual([403, 403, 403, 403, 403, 403])
  expect(await leer('Massive Boletin/mia')).toEqual(suscripcion)
  expect(await leer('Massive Boletin/nueva')).toBeNull()
})

test('F-803 an account that anybody can make for himself opens nothing', async ({ request }) => {
  const cuenta = await request.post('/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo', {
    data: { email: 'yo@x.do', password: 'secreta1', returnSecureToken: true },
  })
  test.skip(!cuenta.ok(), 'the server lets nobody sign up')
  const { idToken, localId } = await cuenta.json()
  const headers = { Authorization: `Bearer ${idToken}` }
  const propio = { fields: { uid: { stringValue: localId }, role: { stringValue: 'admin' }, active: { booleanValue: true } } }
  const respuestas = [
    await request.get(`${raiz}/ContactRequests`, { headers }),
    await request.get(`${raiz}/adminusers/${localId}`, { headers }),
    await request.patch(`${raiz}/adminusers/${localId}`, { headers, data: propio }),
  ]
  expect(respuestas.map((r) => r.status())).toEqual([403, 403, 403])
})

test('S-111 F-809 every answer carries the headers that protect it', async ({ request }) => {
  const portada = await request.get('/')
  const recurso = /\/assets\/[\w.-]+\.js/.exec(await portada.text())?.[0] ?? '/assets/'
  for (const ruta of ['/', '/LogIn', '/AdminView', recurso]) {
    const respuesta = await request.get(ruta)
    const cabeceras = respuesta.headers()
    const csp = cabeceras['content-security-policy']
    expect(respuesta.status(), ruta).toBe(200)
    expect(csp, ruta).toMatch(/default-src 'self'.*frame-ancestors 'none'/)
    expect(csp, ruta).not.toContain('unsafe')
    expect(cabeceras['x-content-type-options'], ruta).toBe('nosniff')
    expect(cabeceras['referrer-policy'], ruta).toBeTruthy()
    expect(cabeceras['strict-transport-security'], ruta).toContain('max-age=')
    if (ruta.startsWith('/assets')) expect(cabeceras['cache-control']).toContain('immutable')
    if (ruta === '/LogIn' || ruta === '/AdminView') {
      expect(cabeceras['cache-control']).toContain('no-store')
      expect(cabeceras['x-robots-tag']).toContain('noindex')
    }
  }
})
