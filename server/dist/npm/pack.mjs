// Packs the npm packages: node pack.mjs VERSION FOLDER [PLATFORM-ARCH=PROGRAM …]
//
// FOLDER receives a tarball of the package clave and one for each program. The optional dependencies of clave are the
// packages of all platforms with the same version; npm installs the matching one.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']
const here = dirname(fileURLToPath(import.meta.url))

const [version, folder, ...programs] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '') || !folder) {
  console.error('usage: node pack.mjs VERSION FOLDER [PLATFORM-ARCH=PROGRAM …]')
  process.exit(2)
}
const out = resolve(folder)
mkdirSync(out, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'clave-npm-'))
try {
  packMain()
  for (const given of programs) packPlatform(given)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Packs the package clave. */
function packMain() {
  const dir = join(work, 'clave')
  cpSync(join(here, 'clave'), dir, { recursive: true })
  copyFileSync(join(here, '../../internal/suite/seed/values.cjs'), join(dir, 'lib', 'values.cjs'))
  const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  manifest.version = version
  manifest.optionalDependencies = Object.fromEntries(platforms.map((p) => [`clave-${p}`, version]))
  pack(dir, manifest)
}

/** Packs the package with the program of one platform. */
function packPlatform(given) {
  const [platform, program] = given.split('=')
  if (!platforms.includes(platform) || !program) throw new Error(`${given}: want PLATFORM-ARCH=PROGRAM with one of ${platforms.join(', ')}`)
  const [os, cpu] = platform.split('-')
  const dir = join(work, platform)
  mkdirSync(join(dir, 'bin'), { recursive: true })
  const file = join(dir, 'bin', os === 'win32' ? 'clave.exe' : 'clave')
  copyFileSync(program, file)
  chmodSync(file, 0o755)
  pack(dir, {
    name: `clave-${platform}`,
    version,
    description: `The program of clave for ${os} on ${cpu}`,
    license: 'Apache-2.0',
    os: [os],
    cpu: [cpu],
    files: ['bin'],
  })
}

/** Writes a manifest and packs the folder. */
function pack(dir, manifest) {
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const name = execFileSync(npm, ['pack', '--silent', '--pack-destination', out], { cwd: dir, encoding: 'utf8' }).trim()
  console.log(join(out, name))
}
