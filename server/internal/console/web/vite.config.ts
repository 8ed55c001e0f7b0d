import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** The address of a running console, to which `npm run dev` forwards the console's routes. */
const CONSOLE = process.env['CLAVE_CONSOLE'] ?? 'http://127.0.0.1:4000'
const PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/api', '/session']

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The page's policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { port: 4100, proxy: Object.fromEntries(PATHS.map((path) => [path, CONSOLE])) },
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'], restoreMocks: true },
})
