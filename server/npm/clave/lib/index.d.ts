/** One project of a server. */
export interface Project {
  readonly projectId: string
  /** host:port of Firestore, for connectFirestoreEmulator and FIRESTORE_EMULATOR_HOST. */
  readonly firestore: string
  /** host:port of Auth, for connectAuthEmulator and FIREBASE_AUTH_EMULATOR_HOST. */
  readonly auth: string
  /** Keeps the state of all documents and resolves with a token for restore. */
  snapshot(): Promise<string>
  /** Brings the documents back to a snapshot. */
  restore(token: string): Promise<void>
  /** Resolves once every snapshot and event of earlier commits has been delivered; rejects after timeout ("10s"). */
  settle(timeout?: string): Promise<void>
}

/** A server that runs in memory. */
export interface Server extends Project, AsyncDisposable {
  /** host:port of the Emulator Hub. */
  readonly hub: string
  stop(): Promise<void>
}

export interface StartOptions {
  /** Default: demo- and a random id. */
  projectId?: string
  /** Path of firestore.rules; without it everything is allowed. */
  rules?: string
  /** Path of firestore.indexes.json. */
  indexes?: string
  /** Path of a firebase.json, in place of rules and indexes. */
  config?: string
  /** More flags of clave start. */
  args?: string[]
}

/** Starts a server in memory on free ports and resolves once it answers. */
export function start(options?: StartOptions): Promise<Server>

/** Returns the project of this test worker, on the server that a set-up of this package started. */
export function worker(): Project
