import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/** Each worker has its own server, because tests empty it; e2e/servers.ts starts it. */
type Server = { url: string; firestore: string; auth: string; mails: string }

const servers: unknown = JSON.parse(process.env['E2E_SERVERS'] ?? '[]')

/** The server of this worker; unset in the main process. */
function mine(): Server | null {
  const index = Number(process.env['TEST_PARALLEL_INDEX'] ?? -1)
  const server: unknown = Array.isArray(servers) ? servers[index] : null
  if (typeof server !== 'object' || server === null) return null
  return { url: '', firestore: '', auth: '', mails: '', ...server }
}

const server = mine()
if (server) {
  process.env['FIRESTORE_EMULATOR_HOST'] = server.firestore
  process.env['FIREBASE_AUTH_EMULATOR_HOST'] = server.auth
  process.env['E2E_MAILS'] = server.mails
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The browser that visitors have. */
const WHOLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
/** The same Chromium without windows, which takes a quarter of the processor time for a page. */
const SHELL = '/usr/bin/chromium-headless-shell'
/** What depends on more than pages runs in the whole browser: what it loads first, stores and fades, and its widths. */
const NEEDS_WHOLE = /(public-(load|offline|slips|transition)|admin-forms|walks)\.spec\.ts$/

const launched = (executablePath: string) => ({ launchOptions: { executablePath, args: FLAGS } })

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/servers.ts',
  workers: process.env['BASE_URL'] ? 1 : 2,
  fullyParallel: false,
  timeout: 90_000,
  // On a busy machine a browser may exceed a time limit once. A test that fails twice is broken; the report lists those that failed once.
  retries: 1,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env['BASE_URL'] ?? server?.url ?? '',
    locale: 'es-DO',
    // The service worker keeps pages between visits. Only offline.spec.ts tests it.
    serviceWorkers: 'block',
    timezoneId: 'America/Santo_Domingo',
    // A recording takes a third of a test's time. Only retries are recorded.
    trace: 'on-first-retry',
  },
  projects: [
    { name: 'pages', testIgnore: NEEDS_WHOLE, use: launched(!process.env['CHROMIUM'] && existsSync(SHELL) ? SHELL : WHOLE) },
    { name: 'browser', testMatch: NEEDS_WHOLE, use: launched(WHOLE) },
  ],
})
