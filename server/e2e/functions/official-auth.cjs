// Starts the Auth emulator of firebase-tools beside a functions emulator that runs elsewhere: AUTH_PORT, and FUNCTIONS as host:port.
const path = require('path')
const lib = path.join(process.env.FIREBASE_TOOLS, 'lib', 'emulator')
const { AuthEmulator, SingleProjectMode } = require(path.join(lib, 'auth'))
const { EmulatorRegistry } = require(path.join(lib, 'registry'))
const [host, port] = process.env.FUNCTIONS.split(':')
const projectId = process.env.GCLOUD_PROJECT

// elsewhere is an emulator that runs already.
const elsewhere = {
  start: async () => {},
  connect: async () => {},
  stop: async () => {},
  getName: () => 'functions',
  getInfo: () => ({ name: 'functions', host, port: Number(port), listen: [{ address: host, family: 'IPv4', port: Number(port) }] }),
}
const run = async () => {
  await EmulatorRegistry.start(elsewhere)
  const auth = new AuthEmulator({ projectId, host: '127.0.0.1', port: Number(process.env.AUTH_PORT), singleProjectMode: SingleProjectMode.NO_WARNING })
  await EmulatorRegistry.start(auth)
}
run().catch((e) => {
  console.error(e)
  process.exit(1)
})
