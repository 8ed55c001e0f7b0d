import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
// The type of "test". Builds do not need vitest.
import type {} from 'vitest/config'

/** The address of the data for `npm run dev`: a running Clave. */
const CLAVE = process.env['CLAVE_URL'] ?? 'http://127.0.0.1:5000'
const DATA_PATHS = ['/v1', '/google.firestore.v1.Firestore', '/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/api']

/** The build's information about modules. */
type Modules = { getModuleInfo: (id: string) => { importers: string[] } | null }

/** A module and all modules that import it, directly or indirectly. Dynamic imports are ignored. */
function importersOf(id: string, modules: Modules): string[] {
  const found = new Set([id])
  for (const one of found) {
    for (const importer of modules.getModuleInfo(one)?.importers ?? []) found.add(importer)
  }
  return [...found]
}

/**
 * A chunk of the modules whose importers meet a condition. One chunk compresses better than one for each module:
 * without these chunks the home page is 4 kB larger. The entry's own modules stay in its chunk, which loads the others
 * in separate tasks (src/main.ts).
 */
function chunk(name: string, wanted: (importers: string[]) => boolean) {
  const isMember = (importers: string[]) => wanted(importers) && !importers.some((id) => /src[\\/]main\.ts$/.test(id))
  return { debugName: name, name: (id: string, modules: Modules) => (isMember(importersOf(id, modules)) ? name : null) }
}

/** Whether one of the importers is a module of this name. */
const from = (root: RegExp) => (importers: string[]) => importers.some((id) => root.test(id))

/** Whether a module belongs to the Firebase app, which both clients of Firestore need. Its settings are for plain requests too. */
function isApp(importers: string[]): boolean {
  return (
    !/firebase[\\/]config\.ts$/.test(importers[0] ?? '') && from(/src[\\/]firebase[\\/]app\.ts$|webchannel-wrapper[\\/].*bloom/)(importers)
  )
}

/** Whether a module is part of most pages, or of both pages that list events. */
function isPiece(importers: string[]): boolean {
  const pages = importers.filter((id) => /src[\\/]routes[\\/]/.test(id))
  return pages.length >= MOST_PAGES || ['inicio', 'calendario'].every((name) => pages.some((id) => id.endsWith(`${name}.tsx`)))
}
const MOST_PAGES = 8

/** Lets the build remove unused parts of the router. Names for tools, and wrappers that are not marked as pure, would keep them. */
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

/** Replaces Vite's loading of chunks by the site's own, which can be repeated after a failure. */
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
  plugins: [chunkLoading, pruning, react(), tailwindcss()],
  build: {
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome111', 'firefox114', 'safari16.4'],
    assetsInlineLimit: 0,
    // All files of a chunk are loaded before it is imported; without this function, Vite omits the file of a chunk that has no others.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, others, { hostType }) => (hostType === 'js' ? [...new Set([file, ...others])] : others),
    },
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
            chunk('frame', from(/src[\\/]draw\.tsx$/)),
            chunk('app', isApp),
            chunk('pieces', isPiece),
            {
              ...chunk('events', from(/src[\\/](?:features[\\/]events[\\/](?:event-parts|actions)\.tsx|art[\\/]event-art\.ts)$/)),
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { port: 5100, proxy: Object.fromEntries(DATA_PATHS.map((path) => [path, CLAVE])) },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
    restoreMocks: true,
    // Pictures are encoded, which takes long on a busy machine.
    testTimeout: 30_000,
  },
})
