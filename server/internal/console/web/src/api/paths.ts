import { documentsRoot, escapePath, readPath, type Scope, splitPath } from '../lib/scope'
import { beginEarly, withQuery } from './http'

/** The number of documents on a page of a collection. */
export const PAGE = 100

/** The path of a database's documents. */
export const rootOf = (scope: Scope): string => `/v1/${escapePath(documentsRoot(scope)).replaceAll('%28', '(').replaceAll('%29', ')')}`

/** The path of a document or a collection, or of all documents if path is ''. */
export const pathOf = (scope: Scope, path: string): string => (path ? `${rootOf(scope)}/${escapePath(path)}` : rootOf(scope))

/** The path of a page of a collection's rows. */
export const rowsPath = (scope: Scope, collection: string, pageToken: string): string =>
  withQuery('/api/rows', { ...scope, collection, pageToken })

/** Requests the collection in an address of the data page early, before the code that shows it is loaded. */
export function beginList({ pathname, search }: Location): void {
  const { page, scope, rest } = readPath(pathname)
  const { collection } = splitPath(rest)
  if (page === 'data' && scope.project && collection && search === '') beginEarly(rowsPath(scope, collection, ''))
}
