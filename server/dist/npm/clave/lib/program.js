'use strict'
const { arch, platform } = require('node:process')

/** Returns the path of the program: CLAVE_BIN, or the program in the package for this platform. */
function program() {
  if (process.env.CLAVE_BIN) return process.env.CLAVE_BIN
  const name = `clave-${platform}-${arch}`
  try {
    return require.resolve(`${name}/bin/clave${platform === 'win32' ? '.exe' : ''}`)
  } catch {
    throw new Error(
      `The package ${name} is not installed. npm leaves it out with --omit=optional; where there is none for this platform, name a program in CLAVE_BIN.`,
    )
  }
}

exports.program = program
