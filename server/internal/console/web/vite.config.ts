import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
// The type of "test". Builds do not need vitest.
import type {} from 'vitest/config'

/** The address of a running console, to which `npm run dev` forwards the console's routes. */
const CONSOLE = process.env['CLAVE_CONSOLE'] ?? 'http://127.0.0.1:4000'
const PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/api', '/session']

/** Replaces Vite's loading of chunks by the console's own, which can be repeated after a failure. */
const chunkLoading: Plugin = {
  name: 'chunk-loading',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /^\0vite\/preload-helper\.js$/ },
    handler: () => "export { loadChunk as __vitePreload } from '/src/lib/load-chunk.ts'",
  },
}

export default defineConfig({
  plugins: [chunkLoading, react()],
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The page's policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    // All files of a chunk are loaded before it is imported; without this function, Vite omits the file of a chunk that has no others.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, others, { hostType }) => (hostType === 'js' ? [...new Set([file, ...others])] : others),
    },
  },
  server: { port: 4100, proxy: Object.fromEntries(PATHS.map((path) => [path, CONSOLE])) },
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'], restoreMocks: true },
})
