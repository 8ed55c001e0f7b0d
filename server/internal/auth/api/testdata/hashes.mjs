// Records the requests with which the Admin SDK for Node imports accounts whose passwords were hashed elsewhere, by
// Node's own crypto and by bcryptjs: one request for each algorithm of Firebase and each form of its parameters.
// TestPasswordsOfNodesAdminSDK signs in with them.
//   npm install firebase-admin bcryptjs && node hashes.mjs > hashes.json
import crypto from 'node:crypto'
import http from 'node:http'
import bcrypt from 'bcryptjs'
import { initializeApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'

const bodies = []
const server = http.createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
process.env.FIREBASE_AUTH_EMULATOR_HOST = `127.0.0.1:${server.address().port}`
const auth = getAuth(initializeApp({ projectId: 'demo-test' }))

const password = 'contraseña-1'
const bytes = Buffer.from(password)
// Base64 of these bytes has the characters in which its two alphabets differ.
const salt = Buffer.from([0xfb, 0xff, 0xfe, 0x00, 0x4e, 0x61, 0x43])
const key = Buffer.from([0xff, 0xfe, 0xfd, 0x01, 0x02, 0x6b, 0x65, 0x79])
const hmac = (name, ...parts) => crypto.createHmac(name, key).update(Buffer.concat(parts)).digest()
const digest = (name, rounds, ...parts) => {
  let sum = Buffer.concat(parts)
  for (let i = 0; i < rounds; i++) sum = crypto.createHash(name).update(sum).digest()
  return sum
}
const firebase = (text, signer, separator, rounds, memory) => {
  const derived = crypto.scryptSync(text, Buffer.concat([salt, separator]), 64, { N: 2 ** memory, r: rounds, p: 1, maxmem: 2 ** 28 })
  return crypto.createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16)).update(signer)
}
const signer = crypto.createHash('sha512').update('signer').digest()
const long = 'ñ'.repeat(50) // bcrypt uses the first 72 bytes

const cases = []
const add = (name, hash, sum, options = {}) => cases.push({ name, hash, sum, password, salt, ...options })
for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
  const upper = name.toUpperCase()
  add(`HMAC_${upper}`, { algorithm: `HMAC_${upper}`, key }, hmac(name, bytes, salt))
  add(`HMAC_${upper} without salt`, { algorithm: `HMAC_${upper}`, key }, hmac(name, bytes), { salt: undefined })
  add(upper, { algorithm: upper, rounds: 1 }, digest(name, 1, salt, bytes))
  add(`${upper}, 5 rounds`, { algorithm: upper, rounds: 5 }, digest(name, 5, salt, bytes))
}
add('MD5, 0 rounds', { algorithm: 'MD5', rounds: 0 }, digest('md5', 1, salt, bytes))
add('PBKDF_SHA1', { algorithm: 'PBKDF_SHA1', rounds: 1000 }, crypto.pbkdf2Sync(bytes, salt, 1000, 20, 'sha1'))
add('PBKDF_SHA1 of 32 bytes', { algorithm: 'PBKDF_SHA1', rounds: 10 }, crypto.pbkdf2Sync(bytes, salt, 10, 32, 'sha1'))
add('PBKDF2_SHA256', { algorithm: 'PBKDF2_SHA256', rounds: 20000 }, crypto.pbkdf2Sync(bytes, salt, 20000, 64, 'sha256'))
add('SCRYPT', { algorithm: 'SCRYPT', key: signer, saltSeparator: Buffer.from([0xfb, 0xff]), rounds: 8, memoryCost: 6 }, firebase(bytes, signer, Buffer.from([0xfb, 0xff]), 8, 6))
add('SCRYPT without a separator', { algorithm: 'SCRYPT', key: signer, rounds: 3, memoryCost: 4 }, firebase(bytes, signer, Buffer.alloc(0), 3, 4))
for (const [size, parallelization] of [[64, 16], [32, 1]]) {
  const hash = { algorithm: 'STANDARD_SCRYPT', memoryCost: 1024, parallelization, blockSize: 8, derivedKeyLength: size }
  add(`STANDARD_SCRYPT of ${size} bytes`, hash, crypto.scryptSync(bytes, salt, size, { N: 1024, r: 8, p: parallelization }))
}
for (const version of ['2a', '2b', '2y']) {
  const sum = Buffer.from(bcrypt.hashSync(password, 4).replace(/^\$2./, `$${version}`))
  add(`BCRYPT ${version}`, { algorithm: 'BCRYPT' }, sum, { salt: undefined })
}
add('BCRYPT of a long password', { algorithm: 'BCRYPT' }, Buffer.from(bcrypt.hashSync(long, 4)), { salt: undefined, password: long })

const recorded = []
for (const [index, { name, hash, sum, password: text, salt: used }] of cases.entries()) {
  const user = { uid: `u${index}`, email: `u${index}@example.com`, passwordHash: sum, ...(used ? { passwordSalt: used } : {}) }
  await auth.importUsers([user], { hash })
  recorded.push({ name, password: text, request: bodies.pop() })
}
console.log(JSON.stringify(recorded, null, 1))
process.exit(0)
