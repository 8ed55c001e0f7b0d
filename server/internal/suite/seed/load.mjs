// Prints the value of a seed that is a module as JSON: its default export, or what that returns if it is a function.
// The argument is the path of the module. values.cjs precedes this text.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const written = console.log.bind(console)
for (const name of ['log', 'info', 'debug']) console[name] = console.error // standard output has the value only
const module = await import(pathToFileURL(resolve(process.argv[1])).href)
if (module.default === undefined) throw new Error('the module has no default export')
const value = await (typeof module.default === 'function' ? module.default() : module.default)
written(JSON.stringify(plain(value)))
