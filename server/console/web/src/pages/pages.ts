import { lazy } from 'react'

/** The pages of the menu in its order, with the feature that the server must name for each. */
export const PAGES = [
  { id: 'data', feature: 'data', view: lazy(() => import('./data/data-page')) },
  { id: 'users', feature: 'users', view: lazy(() => import('./users/users-page')) },
  { id: 'requests', feature: 'requests', view: lazy(() => import('./requests/requests-page')) },
  { id: 'rules', feature: 'rules', view: lazy(() => import('./rules/rules-page')) },
  { id: 'now', feature: 'now', view: lazy(() => import('./now/now-page')) },
  { id: 'codes', feature: 'codes', view: lazy(() => import('./codes/codes-page')) },
  { id: 'indexes', feature: 'indexes', view: lazy(() => import('./indexes/indexes-page')) },
  { id: 'safety', feature: 'safety', view: lazy(() => import('./safety/safety-page')) },
  { id: 'lab', feature: 'lab', view: lazy(() => import('./lab/lab-page')) },
  { id: 'audit', feature: 'audit', view: lazy(() => import('./audit/audit-page')) },
] as const

export type PageId = (typeof PAGES)[number]['id']
