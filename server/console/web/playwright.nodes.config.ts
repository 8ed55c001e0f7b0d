import { defineConfig } from '@playwright/test'
import one from './playwright.config'

/** Tests of the console of several nodes, which start their own servers on the store that CLAVE_STORE names. */
export default defineConfig(one, { testDir: 'e2e-nodes', globalSetup: [], workers: 1, retries: 0 })
