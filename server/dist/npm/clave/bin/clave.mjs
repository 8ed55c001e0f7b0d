#!/usr/bin/env node
// Runs the program of this platform with the same arguments, signals and exit code.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { program } from '../lib/program.js'

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
child.on('error', (error) => {
  console.error(`clave: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
