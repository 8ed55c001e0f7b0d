import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

/** Where `npm run dev` finds the data: a running Clave. */
const CLAVE = process.env['CLAVE_URL'] ?? 'http://127.0.0.1:5000'
const DATA_PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/api']

/** One file for what comes together, instead of one for each piece: React, which runs in a turn of its own (src/main.ts), what most pages are made of, what shows an event or a place, the SDK's base. */
const REACT = /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/
const MARCO =
  /src[\\/](?:app|enrutador|vida|layout[\\/].*|i18n[\\/]es|components[\\/](?:boton|esqueleto|limite-de-error|signo)|art[\\/](?:logo|trazo-marca)|content[\\/]sitio|lib[\\/](?:fechas|fondo|use-hidratado|use-impresion|use-meta))\.|react-router/
const PIEZAS =
  /src[\\/](?:art[\\/](?:imagen|lamina|manifiesto)|components[\\/](?:encabezado|llamada|seccion|vacio)|features[\\/]eventos[\\/]huesos-eventos|lib[\\/](?:momento|use-eventos))\./
const SUCESOS =
  /lucide-react|src[\\/](?:art[\\/]ilustracion-de-evento|i18n[\\/]es-eventos|lib[\\/](?:dinero|enlaces|evento|url-segura)|features[\\/]eventos[\\/]datos-evento)\.?/
const SDK =
  /src[\\/]firebase[\\/](?:app|config)\.|node_modules[\\/](?:firebase[\\/]app|@firebase[\\/](?:app|component|logger|util)|idb)[\\/]|webchannel-wrapper[\\/].*bloom/

/** Lets the build leave out what the site does not use of the router, which names for tools and wrappers not marked as pure hold fast. */
const poda: Plugin = {
  name: 'poda-react-router',
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
  plugins: [poda, react(), tailwindcss()],
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
            { name: 'marco', test: MARCO },
            { name: 'piezas', test: PIEZAS },
            { name: 'sucesos', test: SUCESOS, minShareCount: 2 },
            { name: 'app', test: SDK },
          ],
        },
      },
    },
  },
  server: { port: 5100, proxy: Object.fromEntries(DATA_PATHS.map((path) => [path, CLAVE])) },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    setupFiles: ['src/vitest.setup.ts'],
    restoreMocks: true,
  },
})
