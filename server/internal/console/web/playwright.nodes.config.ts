import { defineConfig } from '@playwright/test'
import one from './playwright.config'

/** The tests of the console of several nodes. They start their own servers on the store in CLAVE_STORE. */
export default defineConfig(one, { testDir: 'e2e-nodes', globalSetup: [], workers: 1, retries: 0 })
