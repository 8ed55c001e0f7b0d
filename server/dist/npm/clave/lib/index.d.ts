/** One project of a server. */
export interface Project {
  readonly projectId: string
  /** host:port of Firestore, for connectFirestoreEmulator and FIRESTORE_EMULATOR_HOST. */
  readonly firestore: string
  /** host:port of Auth, for connectAuthEmulator and FIREBASE_AUTH_EMULATOR_HOST. */
  readonly auth: string
  /** Stores the state of all documents and resolves with a token for restore. */
  snapshot(): Promise<string>
  /** Restores the documents of a snapshot. */
  restore(token: string): Promise<void>
  /** Resolves when every snapshot and event of earlier commits has been delivered. Rejects after timeout ("10s"). */
  settle(timeout?: string): Promise<void>
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
