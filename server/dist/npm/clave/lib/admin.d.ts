import type { App, AppOptions } from 'firebase-admin/app'
import type { Firestore, Settings } from 'firebase-admin/firestore'

/** Where Clave is, and the key with which a server signs in. */
export interface ClaveOptions {
  /** A key of `clave credentials create`: the path or the URL of its file, its text, or its parsed object. */
  key: string | URL | Buffer | Record<string, unknown>
  /** Clave's origin; by default that of the key's token_uri. http is allowed for Auth on this machine only. */
  url?: string
  /** The URL of `clave serve --admin-api`, for getSecurityRules(app); without it the app has no rules. */
  adminApi?: string
  /** Certificates of your own authorities, as PEM or as paths of PEM files. They replace those of Node. */
  ca?: string | Buffer | Array<string | Buffer>
}

/** Options of claveApp. */
export interface ClaveAppOptions extends ClaveOptions {
  /** Further settings of Firestore; false leaves Firestore out, which then is not loaded. */
  firestore?: FirestoreOptions | false
}

/** Settings of an app's Firestore, and the id of a database other than (default). */
export type FirestoreOptions = Settings & { databaseId?: string }

/** Initializes an app. getAuth(app) and getFirestore(app) of firebase-admin then call Clave. */
export function claveApp(options: ClaveAppOptions, name?: string): App

/** Returns the options of initializeApp. Use claveFirestore(app) in place of getFirestore(app) with it. */
export function claveOptions(options: ClaveOptions): Required<Pick<AppOptions, 'credential' | 'httpAgent' | 'projectId'>>

/** Returns the Firestore of an app of claveOptions or claveApp. Settings are for the first call of each database. */
export function claveFirestore(app: App, settings?: FirestoreOptions): Firestore

/** Returns the settings of `new Firestore` of @google-cloud/firestore, without firebase-admin. */
export function firestoreSettings(options: ClaveOptions): Settings
