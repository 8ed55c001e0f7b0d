import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

/** Where `npm run dev` finds the data: a running Clave. */
const CLAVE = process.env['CLAVE_URL'] ?? 'http://127.0.0.1:5000'
const DATA_PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/api']

/** One file for what comes together, instead of one for each piece: React, which runs in a turn of its own (src/main.ts), what most pages are made of, what shows an event or a place, the SDK's base. */
const REACT = /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/
const FRAME =
  /src[\\/](?:app|app-router|draw|layout[\\/].*|i18n[\\/]es|components[\\/](?:button-classes|skeleton|error-boundary|sign)|art[\\/](?:logo|mark-stroke)|content[\\/]sitio|lib[\\/](?:dates|background|use-hydrated|use-kept-pages|use-offline|use-printing|use-meta))\.|react-router/
const PIECES =
  /src[\\/](?:art[\\/](?:slot-image|plate|manifest)|components[\\/](?:page-header|call-to-action|section|empty)|features[\\/]events[\\/]event-bones|lib[\\/](?:when|use-events))\./
const EVENT_PARTS =
  /lucide-react|src[\\/](?:art[\\/]event-art|i18n[\\/]es-events|lib[\\/](?:money|links|event|picture|safe-url)|features[\\/]events[\\/]event-parts)\.?/
const SDK =
  /src[\\/]firebase[\\/](?:app|config)\.|node_modules[\\/](?:firebase[\\/]app|@firebase[\\/](?:app|component|logger|util)|idb)[\\/]|webchannel-wrapper[\\/].*bloom/

/** Lets the build leave out what the site does not use of the router, which names for tools and wrappers not marked as pure hold fast. */
const pruning: Plugin = {
  name: 'prune-react-router',
  apply: 'build',
  transform: {
    filter: { id: /react-router[\\/]dist[\\/]/ },
    handler: (code) =>
      code
        .replaceAll(/^\w+\.displayName = ".*";$/gm, '')
        .replaceAll(/= (React\d*\.(?:createContext|forwardRef|memo)\()/g, '= /* @__PURE__ */ $1'),
  },
}

export default defineConfig({
  plugins: [pruning, react(), tailwindcss()],
  build: {
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome111', 'firefox114', 'safari16.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'react', test: REACT },
            { name: 'frame', test: FRAME },
            { name: 'pieces', test: PIECES },
            { name: 'events', test: EVENT_PARTS, minShareCount: 2 },
            { name: 'app', test: SDK },
          ],
        },
      },
    },
  },
  server: { port: 5100, proxy: Object.fromEntries(DATA_PATHS.map((path) => [path, CLAVE])) },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    restoreMocks: true,
    // Pictures are encoded, and a machine may be busy.
    testTimeout: 30_000,
  },
})
