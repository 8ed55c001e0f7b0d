import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { useText } from '../../i18n/text'
import { keptDraft } from '../../lib/drafts'
import { EMPTY_QUERY, type Query, writeQuery } from '../../lib/query'
import { collectionOf, pagePath } from '../../lib/scope'
import { useSession } from '../../session'
import { ExportProgress } from '../../ui/export-progress'
import { Icon } from '../../ui/icons'
import { Menu } from '../../ui/menu'
import { Empty, Problem, Skeleton } from '../../ui/states'
import { ColumnsMenu, useColumns } from './columns'
import { DeleteDialog } from './delete-dialog'
import { Grid } from './grid'
import { ImportDialog } from './import-dialog'
import { NewDocumentDialog } from './new-document-dialog'
import { QueryBuilder } from './query-builder'
import { queryAddress } from './query-draft'
import { useExport } from './use-export'
import { useRowHeight } from './use-row-height'
import { type Live, type Place, useRows } from './use-rows'

type Props = {
  place: Place
  documentPath: string | null
  open: (path: string | null) => void
  setQuery: (query: Query) => void
  changed: () => void
}
type Asked = 'new' | 'import' | 'delete-collection' | 'delete-selected' | null

/** The documents of a collection, of a group or of a query. */
export function DocumentsTable({ place, documentPath, open, setQuery, changed }: Props) {
  const { t, number } = useText()
  const { write } = useSession()
  const navigate = useNavigate()
  const rows = useRows(place)
  const address = queryAddress(place)
  const [building, setBuilding] = useState(() => keptDraft(address) !== null)
  const [asked, setAsked] = useState<Asked>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const exporting = useExport(place)
  const row = useRowHeight()
  const columns = useColumns(place.collection, rows.docs, place.group)
  const { scope, collection, group, query } = place
  const { key, pathname, search } = useLocation()
  useEffect(() => {
    // The menu's link to a draft leads here.
    if (pathname + search === address && keptDraft(address) !== null) setBuilding(true)
  }, [key, pathname, search, address])
  const hasQuery = writeQuery(query) !== ''
  const after = () => {
    setSelected(new Set())
    rows.reload()
    changed()
  }
  const actions = [
    ...(group ? [] : [{ label: t.data.import, act: () => setAsked('import'), disabled: !write }]),
    { label: t.data.exportJson, act: () => exporting.start('json') },
    { label: t.data.exportCsv, act: () => exporting.start('csv') },
    ...(group ? [] : [{ label: t.data.deleteCollection, act: () => setAsked('delete-collection'), disabled: !write, danger: true }]),
  ]
  return (
    <section className="column documents" aria-label={collection}>
      <div className="column-head">
        <Crumbs place={place} />
        <div className="row push">
          <button type="button" className="button" aria-expanded={building} onClick={() => setBuilding(!building)}>
            <Icon name="filter" />
            {hasQuery ? t.query.conditions(query.where.length) : t.query.title}
          </button>
          <ColumnsMenu columns={columns} />
          {write && !group && (
            <button type="button" className="button primary" onClick={() => setAsked('new')}>
              <Icon name="plus" />
              {t.data.document}
            </button>
          )}
          <Menu label={t.data.actions} items={actions} />
        </div>
      </div>
      {building && <QueryBuilder key={writeQuery(query)} place={place} apply={setQuery} fields={columns.known} />}
      {(rows.status !== 'ready' || rows.docs.length === 0) && (
        <div className="column-body">
          {rows.status === 'loading' && <Skeleton rows={12} />}
          {rows.status === 'error' && <Problem error={rows.error} retry={rows.reload} />}
          {rows.status === 'ready' && (
            <Empty icon={hasQuery ? 'filter' : 'data'}>
              <p>{hasQuery ? t.data.noMatches : t.data.noDocuments}</p>
              {write && !hasQuery && !group && (
                <button type="button" className="button" onClick={() => setAsked('new')}>
                  {t.data.firstDocument}
                </button>
              )}
              {hasQuery && !building && (
                <button type="button" className="button" onClick={() => setQuery(EMPTY_QUERY)}>
                  {t.query.clear}
                </button>
              )}
            </Empty>
          )}
        </div>
      )}
      {rows.status === 'ready' && rows.docs.length > 0 && (
        <Grid
          key={row}
          scope={scope}
          write={write}
          docs={rows.docs}
          fields={columns.shown}
          widths={columns.widths}
          row={row}
          group={group}
          marks={rows.marks}
          current={documentPath}
          selected={selected}
          setSelected={setSelected}
          order={query.order[0] ?? null}
          setOrder={(order) => setQuery({ ...query, order: order ? [order] : [] })}
          open={open}
          more={rows.more}
          loadMore={rows.loadMore}
          see={rows.see}
          refresh={rows.refresh}
        />
      )}
      <footer className="table-foot">
        {rows.status === 'ready' && <span>{t.data.loaded(number(rows.docs.length) + (rows.more ? '+' : ''))}</span>}
        <ExportProgress note={exporting.note} cancel={exporting.cancel} />
        {exporting.error !== null && <Problem error={exporting.error} />}
        {selected.size > 0 && (
          <>
            <span>{t.data.selected(selected.size)}</span>
            <button
              type="button"
              className="button"
              onClick={() =>
                exporting.save(
                  'json',
                  rows.docs.flatMap((doc) => (selected.has(doc.path) && !doc.missing ? doc.path : [])),
                )
              }
            >
              {t.data.exportJson}
            </button>
            {write && (
              <button type="button" className="button danger" onClick={() => setAsked('delete-selected')}>
                {t.data.deleteSelected}
              </button>
            )}
          </>
        )}
        <LiveMark live={rows.live} />
      </footer>
      {asked === 'new' && (
        <NewDocumentDialog
          scope={scope}
          parent={collectionOf(collection).parent}
          collection={collection}
          close={() => setAsked(null)}
          done={(path) => {
            after()
            void navigate(pagePath('data', scope, path))
          }}
        />
      )}
      {asked === 'import' && <ImportDialog scope={scope} collection={collection} close={() => setAsked(null)} done={after} />}
      {asked === 'delete-collection' && <DeleteDialog scope={scope} paths={[collection]} close={() => setAsked(null)} done={after} />}
      {asked === 'delete-selected' && <DeleteDialog scope={scope} paths={[...selected]} close={() => setAsked(null)} done={after} />}
    </section>
  )
}

function LiveMark({ live }: { live: Live }) {
  const { t } = useText()
  const text = { on: t.data.live, connecting: t.data.connecting, lost: t.data.liveLost, paused: t.data.livePaused }[live]
  return (
    <span className="push" title={live === 'on' || live === 'connecting' ? t.data.liveHint : text}>
      <span className={`dot ${live === 'on' ? 'on' : live === 'lost' ? 'off' : ''}`} />
      {text}
    </span>
  )
}

/** The path of the collection. Each document and collection above it is a link. */
function Crumbs({ place: { scope, collection, group } }: { place: Place }) {
  const { t } = useText()
  const ids = collection.split('/')
  return (
    <div className="crumbs mono">
      <Link className="picker" to={pagePath('data', scope)} aria-label={t.data.collections}>
        <Icon name="back" />
      </Link>
      {group && <span className="tag">{t.data.group}</span>}
      {ids.map((id, i) => (
        <span className="row" key={ids.slice(0, i + 1).join('/')}>
          {i > 0 && <span className="soft">/</span>}
          {i === ids.length - 1 ? (
            <strong className="clip">{id}</strong>
          ) : (
            <Link className="clip" to={pagePath('data', scope, ids.slice(0, i + 1).join('/'))}>
              {id}
            </Link>
          )}
        </span>
      ))}
    </div>
  )
}
