import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { useText } from '../../i18n/text'
import { loadCollections } from '../../api/collections'
import { rememberCollection } from '../../lib/last-collection'
import { type Query, readQuery, writeQuery } from '../../lib/query'
import { collectionOf, pagePath, readPath, splitPath } from '../../lib/scope'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { Empty } from '../../ui/states'
import { CollectionsColumn } from './collections-column'
import { DocumentPane } from './document-pane'
import { DocumentsTable } from './documents-table'
import { PaneEdge, usePaneWidth } from './pane-width'
import { type Place, preloadRows } from './use-rows'

/** The collection and document in an address. The collection is empty if there is none. */
function placeOf(pathname: string, search: string): Place {
  const { scope, rest } = readPath(pathname)
  const params = new URLSearchParams(search)
  return { scope, collection: splitPath(rest).collection, group: params.get('group') === '1', query: readQuery(params.get('q')) }
}

/** Loads the data of the first rendering. */
export async function preload({ pathname, search }: Location): Promise<void> {
  const place = placeOf(pathname, search)
  if (place.scope.project && place.scope.database && place.collection) await preloadRows(place)
}

/** Collections, their documents and one document side by side. The address contains the whole state. */
export default function DataPage() {
  const { t } = useText()
  const scope = useScope()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const path = readPath(pathname).rest
  const [params] = useSearchParams()
  const group = params.get('group') === '1'
  const text = params.get('q')
  const query = useMemo(() => readQuery(text), [text])
  const split = splitPath(path)
  useEffect(() => {
    if (split.collection && !group) rememberCollection(scope, split.collection)
  }, [scope, split.collection, group])
  const collection = split.collection
  const documentPath = group ? params.get('doc') : split.document === null ? null : path
  const [version, setVersion] = useState(0)
  const pane = usePaneWidth()
  const parent = group ? '' : collectionOf(collection).parent
  const collections = useLoad(`${scope.project} ${scope.database} ${parent} ${version}`, (signal) =>
    loadCollections(scope, parent, true, signal),
  )
  const empty = collections.state.status === 'ready' && collections.state.data.length === 0

  const open = useCallback(
    (target: string | null) => {
      if (group) {
        const next = new URLSearchParams(search)
        if (target) next.set('doc', target)
        else next.delete('doc')
        void navigate({ search: next.toString() })
      } else void navigate({ pathname: pagePath('data', scope, target ?? collection), search })
    },
    [group, search, navigate, scope, collection],
  )
  const setQuery = (next: Query) => {
    const q = writeQuery(next)
    const all = new URLSearchParams(search)
    if (q) all.set('q', q)
    else all.delete('q')
    void navigate({ search: all.toString() })
  }
  const changed = () => setVersion((n) => n + 1)
  return (
    <div
      className="data"
      data-collection={collection ? 'some' : 'none'}
      data-document={documentPath ? 'open' : 'closed'}
      style={pane.style}
    >
      {collection && <h1 className="hidden-label narrow">{t.pages.data}</h1>}
      <CollectionsColumn
        key={`${scope.project} ${scope.database}`}
        scope={scope}
        collection={collection}
        group={group}
        parent={parent}
        collections={collections}
        version={version}
        changed={changed}
      />
      {collection ? (
        <DocumentsTable
          key={`${scope.project} ${scope.database} ${collection} ${group}`}
          place={{ scope, collection, group, query }}
          documentPath={documentPath}
          open={open}
          setQuery={setQuery}
          changed={changed}
        />
      ) : (
        <section className="column documents" aria-label={t.data.document}>
          <Empty icon="data">{empty ? t.data.noCollectionsHint : t.data.chooseCollection}</Empty>
        </section>
      )}
      {documentPath && (
        <DocumentPane
          key={`${scope.project} ${scope.database} ${documentPath}`}
          scope={scope}
          path={documentPath}
          open={open}
          changed={changed}
          edge={<PaneEdge width={pane.width} setWidth={pane.setWidth} />}
        />
      )}
    </div>
  )
}
