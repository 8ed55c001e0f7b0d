import { loadCollections } from '../../api/collections'
import { commit, type Doc, listDocuments } from '../../api/firestore'
import { readJson } from '../../lib/json-file'
import { documentsRoot, type Scope } from '../../lib/scope'

const PAGE = 300
const BATCH = 200

/** All documents of a database. The documents of a collection precede those below them. */
export async function* readTree(scope: Scope, parent = ''): AsyncGenerator<Doc[]> {
  for (const { path } of await loadCollections(scope, parent, false)) {
    for (let token = '', first = true; first || token; first = false) {
      const page = await listDocuments(scope, path, PAGE, token)
      yield page.docs.filter((doc) => !doc.missing)
      for (const doc of page.docs) yield* readTree(scope, doc.path)
      token = page.next
    }
  }
}

/** Writes the documents of a seed and returns their number. */
export async function loadSeed(
  scope: Scope,
  text: string,
  badPath: string,
  progress: (done: number, all: number) => void,
): Promise<number> {
  const docs = readJson(text, `${documentsRoot(scope)}/`)
  for (const { id } of docs) {
    const ids = id.split('/')
    if (ids.length % 2 === 1 || ids.includes('')) throw new Error(`${badPath}: ${id}`)
  }
  for (let i = 0; i < docs.length; i += BATCH) {
    progress(i, docs.length)
    await commit(
      scope,
      docs.slice(i, i + BATCH).map(({ id, fields }) => ({ kind: 'set' as const, path: id, fields })),
    )
  }
  return docs.length
}
