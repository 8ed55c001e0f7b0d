/** One project of a server. */
export interface Project {
  readonly projectId: string
  /** host:port of Firestore, for connectFirestoreEmulator and FIRESTORE_EMULATOR_HOST. */
  readonly firestore: string
  /** host:port of Auth, for connectAuthEmulator and FIREBASE_AUTH_EMULATOR_HOST. */
  readonly auth: string
  /** Removes everything of the project: documents, accounts, rules, settings, usage, faults, clock and streams. */
  drop(): Promise<void>
  /** Returns another project of the server, by default one that nobody has used, for a test of its own. drop() ends it. */
  project(id?: string): Project
  /** Stores the state of all documents and resolves with a token for restore. */
  snapshot(): Promise<string>
  /** Restores the documents of a snapshot. */
  restore(token: string): Promise<void>
  /**
   * Brings the project to the state that seeds describe: paths of files of JSON, YAML, JavaScript or TypeScript, or values. What is the
   * same is not written.
   */
  seed(...seeds: (string | Seed)[]): Promise<void>
  /** Resolves when every snapshot and event of earlier commits has been delivered. Rejects after timeout ("10s"). */
  settle(timeout?: string): Promise<void>
  /**
   * Resolves with what production would bill for the project's requests since the start or the last reset. With stored,
   * the documents are read to count what they occupy.
   */
  usage(options?: { stored?: boolean }): Promise<Usage>
  /** Resets the usage. */
  resetUsage(): Promise<void>
  /** Replaces the faults in the project's calls; without arguments ends them. */
  setFaults(...faults: Fault[]): Promise<void>
  /** Ends the open streams of the project with a code, UNAVAILABLE by default, and resolves with their number. SDKs open them again. */
  dropStreams(error?: FaultCode): Promise<number>
  /**
   * Lets the clock of the project stand still, at a time or at the present one: the time of requests and server timestamps,
   * tokens, codes, sessions and TTL policies follow it. The time may be in the past.
   */
  pinClock(at?: Date | string): Promise<void>
  /** Sets the clock of the project, which goes on from there. */
  setClock(at: Date | string): Promise<void>
  /** Advances the clock of the project by a duration such as "90m", also while it stands still. */
  advance(by: string): Promise<void>
  /** Resets the clock of the project to the server's. */
  resetClock(): Promise<void>
  /** Runs a function and rejects if the project's requests meanwhile cost more than max reads. It names the queries that read most. */
  expectReads<T>(max: number, run: () => T | Promise<T>): Promise<T>
}

/** A moment, absolute or relative: 2027-05-01T10:00:00Z, now, -3h, today+2d 19:30, month+1mo+4d. */
export type Moment = string

/** A value of a document. Date, Uint8Array, bigint, and the values of Firestore's SDKs become what they mean. */
export type SeedValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | object
  | { $timestamp: Moment }
  | { $date: Moment }
  | { $ref: string }
  | { $geo: [latitude: number, longitude: number] }
  | { $bytes: string }
  | { $vector: number[] }
  | { $int: number | string }
  | { $double: number | 'NaN' | 'Infinity' | '-Infinity' }

/** The fields of a document. $collections has its subcollections: documents by their ids, by the collections' ids. */
export interface SeedDocument {
  [field: string]: SeedValue
}

/** An account of a seed. */
export interface SeedUser {
  email?: string
  emailVerified?: boolean
  password?: string
  displayName?: string
  photoUrl?: string
  phoneNumber?: string
  disabled?: boolean
  claims?: object
  providers?: { providerId: string; uid: string; email?: string; displayName?: string; photoUrl?: string }[]
}

/** The state of a project: documents by the paths of documents or of collections, and accounts by their ids. */
export interface Seed {
  /** The time zone of moments without one, such as Europe/Madrid; UTC by default. */
  timeZone?: string
  users?: Record<string, SeedUser>
  tenants?: Record<string, { displayName?: string; users?: Record<string, SeedUser> }>
  documents?: Record<string, SeedDocument | Record<string, SeedDocument>>
}

/** The codes with which calls of Firestore may fail. */
export type FaultCode = 'UNAVAILABLE' | 'ABORTED' | 'RESOURCE_EXHAUSTED' | 'DEADLINE_EXCEEDED' | 'INTERNAL'

/** A fault in the calls of a project. */
export interface Fault {
  /** The calls that are affected: all of Firestore by default. */
  calls?: 'all' | 'reads' | 'writes' | 'streams' | 'auth'
  /** Limits the fault to a method: of Firestore, such as Commit, or with calls auth of Auth, such as signInWithPassword. */
  method?: string
  /** The number of calls that are affected; 0, the default, sets no limit. */
  times?: number
  /** The code with which the calls fail, or with auth an error of its API such as USER_DISABLED; without one they succeed. */
  error?: FaultCode | (string & {})
  /** The delay of the calls in milliseconds. */
  delay?: number
  /** Adds to the delay up to this many milliseconds, chosen at random from seed. */
  spread?: number
  /** Makes writes or calls of Auth succeed, and loses their answers. */
  lost?: boolean
  /** Ends streams this many milliseconds after they opened; calls must be streams. */
  after?: number
  /** Makes all writes fail. */
  readOnly?: boolean
  /** Makes all calls fail, also of Auth, and ends the open streams. */
  offline?: boolean
  /** The percentage of the calls, chosen at random from seed; 100 by default. */
  percent?: number
  seed?: number
}

/** What production would bill. */
export interface UsageCounts {
  calls: number
  /** The sum of documents, missing, skipped, entries, minimum and lookups. */
  reads: number
  documents: number
  /** Documents that were requested by name and do not exist. */
  missing: number
  /** Documents that an offset skipped. */
  skipped: number
  /** One for each 1,000 index entries. */
  entries: number
  /** Queries without other reads. */
  minimum: number
  /** Documents that rules looked up. */
  lookups: number
  writes: number
  deletes: number
  ttlDeletes: number
  /** Decisions of rules that denied. They cost nothing. */
  denials: number
  /** The size of the documents that were returned. */
  sentBytes: number
}

/** An allow statement of the security rules. */
export interface UsageRule {
  /** The line at which its condition begins; 0 if no statement applied. */
  line: number
  /** The path of its match, such as /users/{uid}. */
  match: string
}

/** The usage of a call, a collection pattern such as users/&#42;/orders, a caller, a query and a rule. */
export interface UsageRow extends UsageCounts {
  call: 'get' | 'query' | 'aggregate' | 'list' | 'collectionIds' | 'partition' | 'listen' | 'pipeline' | 'write' | 'ttl'
  pattern: string
  caller: 'user' | 'anonymous' | 'admin' | 'server'
  user?: string
  /** The query without the values of its conditions. */
  query?: string
  /** The rule that decided; none for callers to whom no rules apply. */
  rule?: UsageRule
}

/** The usage of a project. */
export interface Usage {
  project: string
  since: string
  total: UsageCounts
  /** The rows, those with the most reads first. */
  rows: UsageRow[]
  /** The sums of the rows by rule, those with the most reads first. */
  rules: (UsageRule & UsageCounts)[]
  /** What the documents occupy, if that was asked for. */
  stored?: {
    total: StoredBytes
    /** The collection patterns, those with the most bytes first. */
    patterns: ({ pattern: string } & StoredBytes)[]
    /** There are more documents than were counted. */
    partial?: boolean
  }
}

/** What documents and their index entries occupy as production bills it. */
export interface StoredBytes {
  documents: number
  documentBytes: number
  indexBytes: number
}

/** A server that runs in memory. */
export interface Server extends Project, AsyncDisposable {
  /** host:port of the Emulator Hub. */
  readonly hub: string
  stop(): Promise<void>
}

export interface StartOptions {
  /** The project's id; by default demo- and a random id. */
  projectId?: string
  /** The path of firestore.rules; by default everything is allowed. */
  rules?: string
  /** The path of firestore.indexes.json. */
  indexes?: string
  /** The path of a firebase.json, instead of rules and indexes. */
  config?: string
  /** Additional flags of clave start. */
  args?: string[]
}

/** Starts a server in memory on free ports and resolves when it answers. */
export function start(options?: StartOptions): Promise<Server>

/** Returns the project of this test worker, on the server that a set-up module of this package started. */
export function worker(): Project

/** Brings the project of this test worker to the state that seeds describe. */
export function seed(...seeds: (string | Seed)[]): Promise<void>

/** Runs a function in the project of this test worker, as its expectReads does. */
export function expectReads<T>(max: number, run: () => T | Promise<T>): Promise<T>
