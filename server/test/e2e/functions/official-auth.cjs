// Starts the Auth emulator of firebase-tools on AUTH_PORT. FUNCTIONS, if set, is host:port of a running functions emulator.
const path = require('path')
const lib = path.join(process.env.FIREBASE_TOOLS, 'lib', 'emulator')
const { AuthEmulator, SingleProjectMode } = require(path.join(lib, 'auth'))
const { EmulatorRegistry } = require(path.join(lib, 'registry'))
const [host, port] = (process.env.FUNCTIONS ?? '').split(':')
const projectId = process.env.GCLOUD_PROJECT

// replaces the functions emulator, which is running already
const elsewhere = {
  start: async () => {},
  connect: async () => {},
  stop: async () => {},
  getName: () => 'functions',
  getInfo: () => ({ name: 'functions', host, port: Number(port), listen: [{ address: host, family: 'IPv4', port: Number(port) }] }),
}
const run = async () => {
  if (host) await EmulatorRegistry.start(elsewhere)
  const auth = new AuthEmulator({ projectId, host: '127.0.0.1', port: Number(process.env.AUTH_PORT), singleProjectMode: SingleProjectMode.NO_WARNING })
  await EmulatorRegistry.start(auth)
}
run().catch((e) => {
  console.error(e)
  process.exit(1)
})
