// Takes the pictures of server/doc/console: starts the built program (CLAVE_BIN) with demo documents and opens three pages.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { BROWSER, start } from './server.mjs'

const OUT = join(import.meta.dirname, '../../../../doc/console')
const PROJECT = 'demo-orchestra'
const RULES = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /members/{id} {
      allow read: if resource.data.active == true;
      allow create: if request.auth != null
        && request.resource.data.name.size() > 0;
    }
  }
}
`

const { firestore, ui, stop } = await start(PROJECT, RULES)
const root = `projects/${PROJECT}/databases/(default)/documents`
const NAMES = ['Ana Peña', 'Luis Mora', 'Carla Núñez', 'Pedro Sosa', 'Marta Díaz', 'Jorge Lara', 'Rosa Gil', 'Tomás Vega']
const member = (i) => ({
  update: {
    name: `${root}/members/m${String(i).padStart(4, '0')}`,
    fields: {
      name: { stringValue: NAMES[i % NAMES.length] },
      instrument: { stringValue: ['violin', 'cello', 'flute', 'horn'][i % 4] },
      age: { integerValue: String(12 + (i % 50)) },
      fee: { doubleValue: 100 + (i % 7) * 12.5 },
      active: { booleanValue: i % 3 > 0 },
      joined: { timestampValue: `2026-0${1 + (i % 9)}-1${i % 10}T14:00:00Z` },
      home: { geoPointValue: { latitude: 18.4861, longitude: -69.9312 } },
    },
  },
})
const writes = Array.from({ length: 400 }, (_, i) => member(i))
const base = `http://127.0.0.1:${firestore}/v1/${root}`
await fetch(`${base}:commit`, { method: 'POST', headers: { authorization: 'Bearer owner' }, body: JSON.stringify({ writes }) })
for (const id of ['m0000', 'm0001', 'm0003']) await fetch(`${base}/members/${id}`)

await mkdir(OUT, { recursive: true })
const browser = await chromium.launch(BROWSER)
const place = `${PROJECT}/(default)`
const pictures = [
  {
    name: 'data-1280',
    width: 1280,
    scheme: 'light',
    path: `/data/${place}/members/m0001`,
    wait: (page) => page.locator('.dot.on').waitFor(),
  },
  { name: 'requests-768', width: 768, scheme: 'light', path: `/requests/${place}`, wait: (page) => page.getByRole('row').nth(2).waitFor() },
  {
    name: 'document-360',
    width: 360,
    scheme: 'dark',
    path: `/data/${place}/members/m0001`,
    wait: (page) => page.getByLabel('Latitude').waitFor(),
  },
]
try {
  for (const { name, width, scheme, path, wait } of pictures) {
    const page = await browser.newPage({
      viewport: { width, height: 720 },
      colorScheme: scheme,
      locale: 'en-US',
      timezoneId: 'America/Santo_Domingo',
    })
    await page.goto(`http://127.0.0.1:${ui}${path}`)
    await wait(page)
    await page.screenshot({ path: join(OUT, `${name}.png`) })
    await page.close()
  }
} finally {
  await browser.close()
  await stop()
}
