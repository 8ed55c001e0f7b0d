'use strict'
const { Agent } = require('./admin/agent.js')
const { credential, grantAccess } = require('./admin/credential.js')
const { readKey } = require('./admin/key.js')
const { openOrigin } = require('./admin/origin.js')
const sdk = require('./admin/sdk.js')

/** The connections of the apps that were made here, by the credential in their options. */
const connections = new WeakMap()

/** Reads the options and returns a connection to Clave: the key, the origin, the agent and the access tokens. */
function connect(options) {
  for (const name of ['FIREBASE_AUTH_EMULATOR_HOST', 'FIRESTORE_EMULATOR_HOST']) {
    if (process.env[name]) throw new Error(`clave/admin: ${name} is set. With it the SDK calls an emulator and accepts unsigned tokens. Unset it.`)
  }
  const key = readKey(options?.key)
  const origin = openOrigin(options, key)
  const admin = options.adminApi ? openOrigin({ url: options.adminApi, ca: options.ca }, key) : undefined
  const agent = new Agent(origin, admin)
  return { key, origin, agent, access: grantAccess(key, agent) }
}

/** Returns the options of initializeApp for Clave. */
function claveOptions(options) {
  const connection = connect(options)
  const made = credential(connection)
  connections.set(made, connection)
  return { credential: made, httpAgent: connection.agent, projectId: connection.key.project_id }
}

/** Initializes an app whose Auth and Firestore are Clave's. */
function claveApp(options, name) {
  const app = sdk.load('firebase-admin/app').initializeApp(claveOptions(options), name)
  const { firestore = {} } = options
  if (firestore !== false && sdk.has('@google-cloud/firestore')) claveFirestore(app, firestore)
  return app
}

/** Returns the Firestore of an app that was initialized with claveOptions, and applies the settings at the first call. */
function claveFirestore(app, { databaseId, ...settings } = {}) {
  const connection = connections.get(app.options.credential)
  if (!connection) throw new Error('clave/admin: the app was not initialized with claveOptions or claveApp')
  const { getFirestore } = sdk.load('firebase-admin/firestore')
  const db = databaseId ? getFirestore(app, databaseId) : getFirestore(app)
  if (!connection.opened) connection.opened = new WeakSet()
  if (!connection.opened.has(db)) {
    db.settings({ ...sdk.firestoreSettings(connection), ...settings })
    connection.opened.add(db)
  } else if (Object.keys(settings).length > 0) {
    throw new Error('clave/admin: Firestore has its settings already. Give them to the first call, or to claveApp as `firestore`.')
  }
  return db
}

/** Returns the settings of `new Firestore` of @google-cloud/firestore for Clave. */
function firestoreSettings(options) {
  const connection = connect(options)
  const { client_email, private_key, project_id } = connection.key
  return { projectId: project_id, credentials: { client_email, private_key }, ...sdk.firestoreSettings(connection) }
}

exports.claveApp = claveApp
exports.claveFirestore = claveFirestore
exports.claveOptions = claveOptions
exports.firestoreSettings = firestoreSettings
