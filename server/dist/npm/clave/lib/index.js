'use strict' // jest loads only CommonJS modules
const { spawn } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const { mkdtemp, rm, writeFile } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const { join, resolve } = require('node:path')
const { createInterface } = require('node:readline')
const { program } = require('./program.js')
const { plain } = require('./values.cjs')

/** How long the program may take to start, in milliseconds. */
const patience = 30_000

/** Starts a server in memory on free ports and resolves when it answers. */
async function start({ projectId = `demo-${randomBytes(6).toString('hex')}`, rules, indexes, config, args = [] } = {}) {
  if (config && (rules || indexes)) throw new TypeError('clave: give either config, or rules and indexes')
  const folder = await mkdtemp(join(tmpdir(), 'clave-'))
  const forget = () => rm(folder, { recursive: true, force: true })
  try {
    if (!config) {
      config = join(folder, 'firebase.json')
      const firestore = { rules: rules && resolve(rules), indexes: indexes && resolve(indexes) }
      await writeFile(config, JSON.stringify(rules || indexes ? { firestore } : {}))
    }
    const child = spawn(program(), ['start', '--ephemeral', '--project', projectId, '--config', resolve(config), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'], // the server stops when its standard input closes, also if this process is killed
    })
    const ended = new Promise((done) => child.once('close', done))
    const addresses = await ready(child)
    child.unref() // the process can end even if stop is not called
    for (const stream of child.stdio) stream.unref?.()
    const stop = async () => {
      child.ref()
      for (const stream of child.stdio) stream.ref?.()
      child.stdin.end()
      await ended
      await forget()
    }
    return { ...handle(projectId, addresses.firestore, addresses.auth), hub: addresses.hub, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await forget()
    throw error
  }
}

/** Resolves with the addresses that the program prints. Rejects with its output if it ends or exceeds the time limit. */
function ready(child) {
  return new Promise((done, fail) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-4096)
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail(new Error(`clave did not start within ${patience / 1000} s\n${said}`))
    }, patience)
    child.once('error', fail)
    child.once('close', (code) => {
      clearTimeout(timer)
      fail(new Error(`clave ended with code ${code} before it was ready\n${said}`))
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return
      clearTimeout(timer)
      done(JSON.parse(line))
    })
  })
}

/** Returns the API of one project of a running server. */
function handle(projectId, firestore, auth) {
  const control = async (verb, body = {}, method = 'POST') => {
    const path = `projects/${encodeURIComponent(projectId)}${verb && `:${verb}`}`
    const response = await fetch(`http://${firestore}/emulator/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: method === 'GET' ? undefined : JSON.stringify(body),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`clave: ${path}: ${answer.error?.message ?? response.status}`)
    return answer
  }
  const settle = async (timeout = '10s') => void (await control('settle', { timeout }))
  const usage = ({ stored = false } = {}) => control(`usage${stored ? '?stored=true' : ''}`, undefined, 'GET')
  return {
    projectId,
    firestore,
    auth,
    /** Resolves with what production would bill for the requests since the start or the last reset, and for storage with stored. */
    usage,
    /** Resets the usage. */
    resetUsage: async () => void (await control('usage', undefined, 'DELETE')),
    /** Replaces the faults in the project's calls; none ends them. */
    setFaults: async (...faults) => void (await control('faults', { faults }, 'PUT')),
    /** Ends the open streams of the project with a code and resolves with their number. SDKs open them again. */
    dropStreams: async (error) => (await control('dropStreams', { error })).dropped,
    /** Lets the clock of the project stand still, at a time or at the present one. */
    pinClock: async (at) => void (await control('clock', { at, pinned: true }, 'PUT')),
    /** Sets the clock of the project, which goes on from there. */
    setClock: async (at) => void (await control('clock', { at }, 'PUT')),
    /** Advances the clock of the project by a duration such as "90m". */
    advance: async (by) => void (await control('advance', { by })),
    /** Resets the clock of the project to the server's. */
    resetClock: async () => void (await control('clock', undefined, 'DELETE')),
    /** Runs a function and rejects if its requests cost more than max reads, with the queries that read most. */
    expectReads: async (max, run) => {
      const before = await usage()
      const result = await run()
      await settle()
      checkReads(max, before, await usage())
      return result
    },
    /** Removes everything of the project: documents, accounts, rules, settings, usage, faults, clock and streams. */
    drop: async () => void (await control('', undefined, 'DELETE')),
    /** Returns another project of the server, by default one that nobody has used. */
    project: (id = `demo-${randomBytes(8).toString('hex')}`) => handle(id, firestore, auth),
    /** Stores the state of all documents and resolves with a token for restore. */
    snapshot: async () => (await control('snapshot')).token,
    /** Restores the documents of a snapshot. */
    restore: async (token) => void (await control('restore', { token })),
    /** Brings the project to the state that files or values describe. */
    seed: (...seeds) => applySeeds(seeds, projectId, firestore, auth),
    /** Resolves when every snapshot and event of earlier commits has been delivered. Rejects after timeout, such as "10s". */
    settle,
  }
}

/** Applies seeds, files by their paths and values, by the program. Rejects with its message. */
async function applySeeds(seeds, projectId, firestore, auth) {
  const values = seeds.filter((one) => typeof one !== 'string').map(plain)
  const files = seeds.filter((one) => typeof one === 'string').map((file) => resolve(file))
  const folder = values.length > 0 ? await mkdtemp(join(tmpdir(), 'clave-seed-')) : undefined
  try {
    for (const [i, value] of values.entries()) {
      const file = join(folder, `value-${i}.json`)
      await writeFile(file, JSON.stringify(value))
      files.push(file)
    }
    const args = ['seed', 'apply', ...files, '--project', projectId, '--firestore', firestore, '--auth', auth]
    const child = spawn(program(), args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-4096)
    })
    const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
    if (code !== 0) throw new Error(`clave: seed: ${said.trim()}`)
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

/** Throws if there are more than max reads between two reports of usage. */
function checkReads(max, before, after) {
  const reads = after.total.reads - before.total.reads
  if (reads <= max) return
  const key = ({ call, pattern, caller, user, query, rule }) => JSON.stringify([call, pattern, caller, user, query, rule?.line, rule?.match])
  const earlier = new Map(before.rows.map((row) => [key(row), row.reads]))
  const culprits = after.rows
    .map((row) => ({ ...row, reads: row.reads - (earlier.get(key(row)) ?? 0) }))
    .filter((row) => row.reads > 0)
    .sort((a, b) => b.reads - a.reads)
    .slice(0, 5)
    .map((row) => `  ${row.reads} by ${row.call} ${row.query ?? row.pattern} (${row.user ? `${row.caller} ${row.user}` : row.caller})`)
  throw new Error([`clave: ${reads} reads, ${max} allowed`, ...culprits].join('\n'))
}

/** Runs a function in the project of this test worker and rejects if its requests cost more than max reads. */
const expectReads = (max, run) => worker().expectReads(max, run)

/** Brings the project of this test worker to the state that files or values describe. */
const seed = (...seeds) => worker().seed(...seeds)

/** Returns the project of this test worker, on the server that a set-up module of this package started. */
function worker() {
  const { FIRESTORE_EMULATOR_HOST: firestore, FIREBASE_AUTH_EMULATOR_HOST: auth, CLAVE_RUN: run } = process.env
  if (!firestore || !run) throw new Error("clave: no server runs. Add the set-up to the runner's configuration, such as globalSetup: 'clave/vitest'.")
  const id = process.env.VITEST_POOL_ID ?? process.env.JEST_WORKER_ID ?? process.env.TEST_PARALLEL_INDEX ?? '0'
  return handle(`demo-${run}-${id}`, firestore, auth)
}

exports.expectReads = expectReads
exports.seed = seed
exports.start = start
exports.worker = worker
