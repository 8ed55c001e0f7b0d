'use strict'
const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { isIPv6 } = require('node:net')
const tls = require('node:tls')

/** Loads a module of firebase-admin, which the project installs beside this package. */
function load(name) {
  try {
    return require(name)
  } catch (cause) {
    if (cause.code !== 'MODULE_NOT_FOUND') throw cause
    throw new Error(`clave/admin: ${name} cannot be loaded. Install firebase-admin 11 or later.`, { cause })
  }
}

/** Returns where @google-cloud/firestore is: beside firebase-admin, which has its own version, or beside this package. */
function firestoreAt() {
  for (const from of ['firebase-admin/app', undefined]) {
    try {
      return createRequire(from ? require.resolve(from) : __filename).resolve('@google-cloud/firestore')
    } catch {
      // It is not there.
    }
  }
  return undefined
}

/** Reports whether Firestore's client is installed. */
function has() {
  return firestoreAt() !== undefined
}

/**
 * Returns the certificates that gRPC trusts, or null for its own. gRPC ignores NODE_EXTRA_CA_CERTS, which holds for
 * Auth; its own variable has precedence.
 */
function roots(origin) {
  const { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: own, NODE_EXTRA_CA_CERTS: extra } = process.env
  if (origin.ca) return Buffer.from(origin.ca)
  if (own || !extra) return null
  return Buffer.from([...tls.rootCertificates, readFileSync(extra, 'utf8')].join('\n'))
}

/** Returns Firestore's settings for Clave: address, certificates, and access tokens on each call. */
function firestoreSettings({ origin, access }) {
  const at = firestoreAt()
  if (!at) throw new Error('clave/admin: @google-cloud/firestore is not installed')
  if (!origin.secure) throw new Error('clave/admin: Firestore needs an https URL, because gRPC sends no credentials without TLS')
  const { grpc } = createRequire(at)('google-gax') // the same gRPC as Firestore's, whose classes it checks
  const { credentials, Metadata, status } = grpc
  const calls = credentials.createFromMetadataGenerator((_, done) => {
    access.token().then(
      (token) => {
        const metadata = new Metadata()
        metadata.set('authorization', `Bearer ${token}`)
        done(null, metadata)
      },
      // Firestore's client repeats calls that failed as unavailable.
      (error) => done(Object.assign(new Error(error.message, { cause: error }), { code: error.refused ? status.UNAUTHENTICATED : status.UNAVAILABLE })),
    )
  })
  const name = isIPv6(origin.hostname) ? `[${origin.hostname}]` : origin.hostname
  return { host: `${name}:${origin.port}`, ssl: true, sslCreds: credentials.combineChannelCredentials(credentials.createSsl(roots(origin)), calls) }
}

exports.firestoreSettings = firestoreSettings
exports.has = has
exports.load = load
