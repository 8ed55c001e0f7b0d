'use strict'
const { readFileSync } = require('node:fs')

/** Reads a key of `clave credentials create`: the path or the URL of its file, its text, or its parsed object. */
function readKey(given) {
  if (given === undefined || given === null || given === '') throw new TypeError('clave/admin: give `key`, a file of `clave credentials create`')
  const key = typeof given === 'string' || given instanceof URL || Buffer.isBuffer(given) ? parse(given) : given
  for (const name of ['project_id', 'private_key', 'private_key_id', 'client_email', 'token_uri']) {
    if (typeof key[name] !== 'string' || key[name] === '') throw new TypeError(`clave/admin: the key has no ${name}. Make one with \`clave credentials create\`.`)
  }
  return key
}

/** Parses a key. */
function parse(given) {
  const text = Buffer.isBuffer(given) || /^\s*\{/.test(given) ? String(given) : readFileSync(given, 'utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TypeError('clave/admin: the key is not JSON', { cause })
  }
}

exports.readKey = readKey
