// Prints the value of a seed that is a module as JSON: its default export, or what that returns if it is a function.
// The argument is the path of the module. values.cjs precedes this text.
import { createRequire, register } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

// Returns the packages that can remove the types of TypeScript, as the seed would find them.
function compilers(seed) {
  const { resolve } = createRequire(seed)
  return ['typescript', 'esbuild', 'amaro'].flatMap((name) => {
    try {
      return [{ name, url: pathToFileURL(resolve(name)).href }]
    } catch {
      return []
    }
  })
}

// The hooks by which a Node that cannot do so itself loads TypeScript. They run in a thread of their own. TypeScript 7
// has no transpileModule.
const hooks = `
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
const removers = {
  typescript: (c) => c.transpileModule && ((text, fileName) => c.transpileModule(text, { fileName, compilerOptions: { module: 'esnext', target: 'es2022' } }).outputText),
  esbuild: (c) => (text, sourcefile) => c.transformSync(text, { sourcefile, loader: 'ts', target: 'es2022' }).code,
  amaro: (c) => (text, filename) => c.transformSync(text, { filename, mode: 'strip-only' }).code,
}
let remove
export async function initialize(found) {
  for (const { name, url } of found) remove ||= removers[name]((await import(url)).default)
}
export async function load(url, context, next) {
  if (!remove || !/^file:.*\\.m?ts$/.test(url)) return next(url, context)
  const path = fileURLToPath(url)
  return { format: 'module', shortCircuit: true, source: remove(await readFile(path, 'utf8'), path) }
}`

const written = console.log.bind(console)
for (const name of ['log', 'info', 'debug']) console[name] = console.error // standard output has the value only
const seed = resolve(process.argv[1])
if (/\.m?ts$/.test(seed) && !process.features.typescript && register) {
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: compilers(seed) })
}
const module = await import(pathToFileURL(seed).href)
if (module.default === undefined) throw new Error('the module has no default export')
const value = await (typeof module.default === 'function' ? module.default() : module.default)
written(JSON.stringify(plain(value)))
