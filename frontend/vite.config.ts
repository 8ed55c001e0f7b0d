import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Where `npm run dev` finds the data: a running Clave. */
const CLAVE = process.env['CLAVE_URL'] ?? 'http://127.0.0.1:5000'
const DATA_PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/api']

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome111', 'firefox114', 'safari16.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { port: 5100, proxy: Object.fromEntries(DATA_PATHS.map((path) => [path, CLAVE])) },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    setupFiles: ['src/vitest.setup.ts'],
    restoreMocks: true,
  },
})
