import { lazy } from 'react'

/** The pages of the menu in its order, with the feature that the server must name for each. */
export const PAGES = [{ id: 'data', feature: 'data', view: lazy(() => import('./data/data-page')) }] as const

export type PageId = (typeof PAGES)[number]['id']
