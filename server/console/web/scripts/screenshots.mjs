// Takes the pictures of server/doc/console: starts the built program (CLAVE_BIN) with demo documents and looks at three pages.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'

const CLAVE = process.env.CLAVE_BIN ?? join(import.meta.dirname, '../../../../bin/clave')
const OUT = join(import.meta.dirname, '../../../doc/console')
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

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const folder = await mkdtemp(join(tmpdir(), 'clave-pictures-'))
const [firestore, websocketPort, auth, ui, hub] = [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()]
const emulators = { firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui }, hub: { port: hub } }
await writeFile(join(folder, 'firestore.rules'), RULES)
await writeFile(join(folder, 'firebase.json'), JSON.stringify({ firestore: { rules: 'firestore.rules' }, emulators }))
const child = spawn(CLAVE, ['start', '--memory', '--project', PROJECT], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
await new Promise((ready) => child.stdout.on('data', (chunk) => String(chunk).includes('Clave ready') && ready()))

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
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
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
  child.kill('SIGTERM')
  await rm(folder, { recursive: true })
}
