import { defineConfig } from '@playwright/test'

/** One server a worker, so that tests which empty it don't disturb each other; started by e2e/servers.ts. */
type Server = { url: string; firestore: string; auth: string; mails: string }

const servers: unknown = JSON.parse(process.env['E2E_SERVERS'] ?? '[]')

/** The server of this worker, none in the main process. */
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

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/servers.ts',
  workers: process.env['BASE_URL'] ? 1 : 2,
  fullyParallel: false,
  timeout: 45_000,
  // On a crowded machine a browser may come too late once; what fails twice is broken, and the report names what failed once.
  retries: 1,
  expect: { timeout: 8_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env['BASE_URL'] ?? server?.url ?? '',
    locale: 'es-DO',
    // The service worker keeps pages between visits; offline.spec.ts alone is about that.
    serviceWorkers: 'block',
    timezoneId: 'America/Santo_Domingo',
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS },
    // Recording costs a third of a test's time: it is done where a test is tried again.
    trace: 'on-first-retry',
  },
})
