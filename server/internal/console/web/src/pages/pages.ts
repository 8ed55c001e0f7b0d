import { type ComponentType, createElement, useState } from 'react'
import { beginList } from '../api/paths'
import { renewable } from '../lib/renewable'

/** The code of a page: its view, and a function that preloads the data of an address for the first rendering. */
type Code = { default: ComponentType; preload?: (address: Location) => Promise<void> }

/** Functions that load the code of each page. */
const LOADERS = {
  data: () => import('./data/data-page'),
  users: () => import('./users/users-page'),
  auth: () => import('./auth/auth-page'),
  appcheck: () => import('./appcheck/appcheck-page'),
  requests: () => import('./requests/requests-page'),
  denials: () => import('./denials/denials-page'),
  rules: () => import('./rules/rules-page'),
  now: () => import('./now/now-page'),
  codes: () => import('./codes/codes-page'),
  indexes: () => import('./indexes/indexes-page'),
  events: () => import('./events/events-page'),
  backups: () => import('./backups/backups-page'),
  safety: () => import('./safety/safety-page'),
  lab: () => import('./lab/lab-page'),
  audit: () => import('./audit/audit-page'),
} satisfies Record<string, () => Promise<Code>>

type Id = keyof typeof LOADERS

/** The page whose code preload has loaded. */
const preloaded = new Map<Id, ComponentType>()

/** A page's view. It loads its code on the first rendering, unless preload has loaded it. */
function viewOf(id: Id): ComponentType {
  const Lazy = renewable(LOADERS[id])
  return function View() {
    const [Page] = useState<ComponentType>(() => preloaded.get(id) ?? Lazy)
    return createElement(Page)
  }
}

/** The pages of the menu in order, with the server feature that each requires. */
export const PAGES = [
  { id: 'data', feature: 'data', view: viewOf('data') },
  { id: 'users', feature: 'users', view: viewOf('users') },
  { id: 'auth', feature: 'auth', view: viewOf('auth') },
  { id: 'appcheck', feature: 'appCheck', view: viewOf('appcheck') },
  { id: 'requests', feature: 'requests', view: viewOf('requests') },
  { id: 'denials', feature: 'denials', view: viewOf('denials') },
  { id: 'rules', feature: 'rules', view: viewOf('rules') },
  { id: 'now', feature: 'now', view: viewOf('now') },
  { id: 'codes', feature: 'codes', view: viewOf('codes') },
  { id: 'indexes', feature: 'indexes', view: viewOf('indexes') },
  { id: 'events', feature: 'events', view: viewOf('events') },
  { id: 'backups', feature: 'backups', view: viewOf('backups') },
  { id: 'safety', feature: 'safety', view: viewOf('safety') },
  { id: 'lab', feature: 'lab', view: viewOf('lab') },
  { id: 'audit', feature: 'audit', view: viewOf('audit') },
] as const

export type PageId = (typeof PAGES)[number]['id']

/** Loads the code of an address's page and its first documents, in parallel with the session. */
export async function preload(address: Location): Promise<void> {
  beginList(address)
  const id = address.pathname.split('/')[1] || 'data'
  const page = PAGES.find((one) => one.id === id)
  if (!page) return
  const code: Code = await LOADERS[page.id]()
  preloaded.set(page.id, code.default)
  await code.preload?.(address)
}
