// Hashes of passwords as the Admin SDK imports them, and certificates of SAML providers.
import { createCipheriv, createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto'

/** The only password whose bcrypt hash is known here. */
const known = 'secreta1'
const bcrypt = '$2a$04$Z.6j3dpwtZY0W9Ew1VNMMu2Cv44oOeXbbTl170TFRcBavzlV1b6..'

/** Returns, for each algorithm of importUsers, its options and the hash and salt of the known password. */
export function hashes(password) {
  if (password !== known) throw new Error(`the password must be ${known}`)
  const salt = Buffer.from('NaCl')
  const [salted, prefixed] = [Buffer.concat([Buffer.from(password), salt]), Buffer.concat([salt, Buffer.from(password)])]
  const key = Buffer.from('secret')
  const all = []
  const add = (hash, passwordHash, passwordSalt = salt) => all.push({ options: { hash }, user: { passwordHash, ...(passwordSalt && { passwordSalt }) } })
  for (const name of ['MD5', 'SHA1', 'SHA256', 'SHA512']) {
    add({ algorithm: `HMAC_${name}`, key }, createHmac(name, key).update(salted).digest())
  }
  // Rounds beyond the first hash the digest. MD5 counts from 0.
  add({ algorithm: 'MD5', rounds: 0 }, createHash('md5').update(prefixed).digest())
  for (const name of ['SHA1', 'SHA256', 'SHA512']) {
    add({ algorithm: name, rounds: 1 }, createHash(name).update(prefixed).digest())
  }
  add({ algorithm: 'PBKDF_SHA1', rounds: 1000 }, pbkdf2Sync(password, salt, 1000, 64, 'sha1'))
  add({ algorithm: 'PBKDF2_SHA256', rounds: 1000 }, pbkdf2Sync(password, salt, 1000, 64, 'sha256'))
  add({ algorithm: 'BCRYPT' }, Buffer.from(bcrypt), null)
  const cost = { memoryCost: 1024, parallelization: 2, blockSize: 8, derivedKeyLength: 64 }
  add({ algorithm: 'STANDARD_SCRYPT', ...cost }, scryptSync(password, salt, 64, { N: 1024, p: 2, r: 8 }))
  all.push(firebaseScrypt(password, salt))
  return all
}

/** Returns the same for Firebase's own scrypt: the signer's key, encrypted with a key derived from the password. */
function firebaseScrypt(password, passwordSalt) {
  const [key, saltSeparator] = [Buffer.alloc(64, 7), Buffer.from([7])]
  const derived = scryptSync(password, Buffer.concat([passwordSalt, saltSeparator]), 64, { N: 2 ** 10, r: 8, p: 1 })
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16))
  const passwordHash = Buffer.concat([cipher.update(key), cipher.final()])
  return { options: { hash: { algorithm: 'SCRYPT', key, saltSeparator, rounds: 8, memoryCost: 10 } }, user: { passwordHash, passwordSalt } }
}

/** Two self-signed certificates. */
export const certificates = [
  `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUSLZNKuOKbktQfTnn4psaKZN3biAwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEaWRwMTAgFw0yNjExMjYxMzUwNDVaGA8yMTI2MTEwMjEzNTA0
NVowDzENMAsGA1UEAwwEaWRwMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGsd
8vEL3MyxfIZzQaD6y+WeNfdwgVlfHcA+hMwgDS03vc/inFUcL4KE6ht7M6MapXjY
6M1MngnJCXqRmx76PG6jUzBRMB0GA1UdDgQWBBTpHlbVdSoDpuXVqBuIUu/C4cQX
gTAfBgNVHSMEGDAWgBTpHlbVdSoDpuXVqBuIUu/C4cQXgTAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDG98jA5uy/6H/3NkYLIXQ5dRzCjB5XtBoc
DvsTdj1IDwIgKIrOXrIQNn79bPzl0WPHRho8ONrkeVDtsa45Fy7Y2Vc=
-----END CERTIFICATE-----`,
  `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUAmcelVkTITRI3Xk/oYBuCGt6QGkwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEaWRwMjAgFw0yNjExMjYxMzUwNDVaGA8yMTI2MTEwMjEzNTA0
NVowDzENMAsGA1UEAwwEaWRwMjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFRA
AeUJuKkAeJLD9OsllvMYhDML9KkiFRf/HtoRjyYmnHPDHOUwvKScq2wpdFXIfcOv
bfXw5XNG2wYGU+n2Wd2jUzBRMB0GA1UdDgQWBBSTL2x9WnDFezmx3dvVTPnygf+2
CTAfBgNVHSMEGDAWgBSTL2x9WnDFezmx3dvVTPnygf+2CTAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIG/7LrlcrhG2B0qscxyquHzIgzCIfg3Vlj22
Cr6hIX50AiA2geMSWmO872uS3Ksis9jKyY3tmrG0iIsWyfqOgvyLnw==
-----END CERTIFICATE-----`,
]
