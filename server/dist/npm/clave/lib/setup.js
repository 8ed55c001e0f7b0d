'use strict'
const { existsSync } = require('node:fs')
const { start } = require('./index.js')

/** Starts one server for all workers, sets the environment variables that SDKs read, and resolves with a function that stops the server. */
async function shared() {
  const config = existsSync('firebase.json') ? 'firebase.json' : undefined
  const server = await start({ config })
  process.env.FIRESTORE_EMULATOR_HOST = server.firestore
  process.env.FIREBASE_AUTH_EMULATOR_HOST = server.auth
  process.env.FIREBASE_EMULATOR_HUB = server.hub
  process.env.GCLOUD_PROJECT = server.projectId
  process.env.CLAVE_RUN = server.projectId.replace(/^demo-/, '')
  return server.stop
}

exports.shared = shared
