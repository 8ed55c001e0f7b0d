// Values of JavaScript as seeds have them. The npm package has a copy of this file, and load.mjs follows it.
'use strict'

/** Values that JSON lacks, in the form that seeds have for them. */
function plain(value) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return { $double: String(value) }
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { $double: value } : value
  }
  if (typeof value === 'bigint') return { $int: String(value) }
  if (value === undefined || typeof value !== 'object') throw new TypeError(`a seed has no ${typeof value}`)
  if (value instanceof Date) return { $timestamp: value.toISOString() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(plain)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return ofSDK(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
}

/** Values of firebase, firebase-admin and @google-cloud/firestore. */
function ofSDK(value) {
  if (typeof value.toDate === 'function' && typeof value.nanoseconds === 'number') {
    const micros = String(Math.floor(value.nanoseconds / 1000)).padStart(6, '0')
    return { $timestamp: `${new Date(value.seconds * 1000).toISOString().slice(0, 19)}.${micros}Z` }
  }
  if (typeof value.latitude === 'number' && typeof value.longitude === 'number') return { $geo: [value.latitude, value.longitude] }
  if (typeof value.path === 'string' && typeof value.parent === 'object') return { $ref: value.path }
  if (typeof value.toUint8Array === 'function') return { $bytes: Buffer.from(value.toUint8Array()).toString('base64') }
  if (typeof value.toArray === 'function') return { $vector: value.toArray() }
  throw new TypeError(`a seed has no ${value.constructor?.name ?? 'object of a class'}`)
}

exports.plain = plain
