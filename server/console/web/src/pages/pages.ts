import { lazy } from 'react'
import { beginList } from '../api/paths'

/** The code of each page, which is loaded when the page is opened. */
const LOADERS = {
  data: () => import('./data/data-page'),
  users: () => import('./users/users-page'),
  requests: () => import('./requests/requests-page'),
  rules: () => import('./rules/rules-page'),
  now: () => import('./now/now-page'),
  codes: () => import('./codes/codes-page'),
  indexes: () => import('./indexes/indexes-page'),
  safety: () => import('./safety/safety-page'),
  lab: () => import('./lab/lab-page'),
  audit: () => import('./audit/audit-page'),
}

/** The pages of the menu in its order, with the feature that the server must name for each. */
export const PAGES = [
  { id: 'data', feature: 'data', view: lazy(LOADERS.data) },
  { id: 'users', feature: 'users', view: lazy(LOADERS.users) },
  { id: 'requests', feature: 'requests', view: lazy(LOADERS.requests) },
  { id: 'rules', feature: 'rules', view: lazy(LOADERS.rules) },
  { id: 'now', feature: 'now', view: lazy(LOADERS.now) },
  { id: 'codes', feature: 'codes', view: lazy(LOADERS.codes) },
  { id: 'indexes', feature: 'indexes', view: lazy(LOADERS.indexes) },
  { id: 'safety', feature: 'safety', view: lazy(LOADERS.safety) },
  { id: 'lab', feature: 'lab', view: lazy(LOADERS.lab) },
  { id: 'audit', feature: 'audit', view: lazy(LOADERS.audit) },
] as const

export type PageId = (typeof PAGES)[number]['id']

/** Begins to load the code of the page that an address names, and its first documents, beside the session that it waits for. */
export function preload(address: Location): void {
  beginList(address)
  const id = address.pathname.split('/')[1] || 'data'
  const page = PAGES.find((one) => one.id === id)
  // Opening the page loads the code again and shows the error.
  if (page) LOADERS[page.id]().catch(() => {})
}
