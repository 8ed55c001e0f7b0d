/** The project and the database that a page shows. */
export type Scope = { project: string; database: string }

/** The prefix of the names of a database's documents, without the trailing slash. */
export const documentsRoot = ({ project, database }: Scope): string => `projects/${project}/databases/${database}/documents`

/** A path of ids for a URL, each id escaped. */
export const escapePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The address of a page of the console. Ids in it are escaped. */
export function pagePath(page: string, { project, database }: Scope, rest = ''): string {
  const base = `/${page}/${encodeURIComponent(project)}/${encodeURIComponent(database)}`
  return rest ? `${base}/${escapePath(rest)}` : base
}

/** Decodes a part of an address. A part with an invalid escape is returned unchanged. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The page, project, database and path of ids in an address of pagePath. Missing parts are ''. */
export function readPath(pathname: string): { page: string; scope: Scope; rest: string } {
  const [page = '', project = '', database = '', ...ids] = pathname.split('/').slice(1).map(unescaped)
  return { page, scope: { project, database }, rest: ids.join('/') }
}

/** Splits a path below a database into its collection and, if the path ends with one, the document's id. */
export function splitPath(path: string): { collection: string; document: string | null } {
  const ids = path.split('/').filter((id) => id !== '')
  if (ids.length % 2 === 1) return { collection: ids.join('/'), document: null }
  return { collection: ids.slice(0, -1).join('/'), document: ids.at(-1) ?? null }
}

/** A collection's id and its parent document's path, which is '' for the database. */
export function collectionOf(path: string): { parent: string; id: string } {
  const ids = path.split('/')
  return { parent: ids.slice(0, -1).join('/'), id: ids.at(-1) ?? '' }
}
