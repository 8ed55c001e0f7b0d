import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Chromium without windows takes a quarter of the processor time for a page. */
const SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = process.env['CHROMIUM'] ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium')

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  // Each worker has its own servers.
  workers: 2,
  fullyParallel: false,
  timeout: 120_000,
  // A browser may exceed a time limit once on a busy machine. The report lists tests that failed once.
  retries: 1,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    locale: 'en-US',
    timezoneId: 'America/Santo_Domingo',
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    launchOptions: { executablePath: CHROMIUM, args: FLAGS },
    trace: 'on-first-retry',
  },
})
