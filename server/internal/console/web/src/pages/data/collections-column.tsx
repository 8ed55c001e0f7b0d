import { useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { type Collection, loadGroups } from '../../api/collections'
import { useText } from '../../i18n/text'
import { pagePath, type Scope } from '../../lib/scope'
import { type Load, useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { Icon } from '../../ui/icons'
import { Empty, Loaded } from '../../ui/states'
import { LinkList } from './link-list'
import { NewDocumentDialog } from './new-document-dialog'

type Props = {
  scope: Scope
  collection: string
  group: boolean
  /** The document that has the collections, empty for those of the database. */
  parent: string
  collections: { state: Load<Collection[]>; reload: () => void }
  version: number
  changed: () => void
}

/** The sibling collections of the open one, a link to the parent, and all collection groups. */
export function CollectionsColumn({ scope, collection, group, parent, collections, version, changed }: Props) {
  const { t, number } = useText()
  const { write } = useSession()
  const navigate = useNavigate()
  const [adding, setAdding] = useState(false)
  const { state, reload } = collections
  const above = parent.split('/').slice(0, -1).join('/')
  return (
    <section className="column collections" aria-label={t.data.collections}>
      <div className="column-head">
        <h1>{parent ? t.data.subcollections : t.data.collections}</h1>
        {write && (
          <button type="button" className="button plain icon push" aria-label={t.data.startCollection} onClick={() => setAdding(true)}>
            <Icon name="plus" />
          </button>
        )}
      </div>
      <div className="column-body">
        {parent && (
          <div className="links">
            <Link to={pagePath('data', scope, parent)}>
              <span className="clip">
                {t.data.up} {above ? parent.split('/').at(-1) : parent}
              </span>
            </Link>
          </div>
        )}
        <Loaded state={state} reload={reload} rows={5}>
          {(found) =>
            found.length === 0 ? (
              <Empty>
                <p>{t.data.noCollections}</p>
                {write && (
                  <button type="button" className="button" onClick={() => setAdding(true)}>
                    {t.data.firstCollection}
                  </button>
                )}
              </Empty>
            ) : (
              <LinkList
                label={parent ? t.data.subcollections : t.data.collections}
                items={found.map((one) => ({
                  id: one.id,
                  to: pagePath('data', scope, one.path),
                  note: one.count === undefined ? '' : `${number(one.count)}${one.more ? '+' : ''}`,
                  current: !group && one.path === collection,
                }))}
              />
            )
          }
        </Loaded>
        <Groups
          scope={scope}
          current={group ? collection : ''}
          shown={state.status === 'ready' ? state.data.map(({ id }) => id) : null}
          version={version}
        />
      </div>
      {adding && (
        <NewDocumentDialog
          scope={scope}
          parent={parent}
          collection={null}
          close={() => setAdding(false)}
          done={(path) => {
            changed()
            void navigate(pagePath('data', scope, path))
          }}
        />
      )}
    </section>
  )
}

type GroupsProps = { scope: Scope; current: string; shown: string[] | null; version: number }

/** All collection groups. They are folded while none is open and the list above has the same ids. */
function Groups({ scope, current, shown, version }: GroupsProps) {
  const { t } = useText()
  const { state } = useLoad(`groups ${version}`, (signal) => loadGroups(scope, signal))
  if (state.status !== 'ready' || state.data.length === 0 || !shown) return null
  const ids = new Set(shown)
  const same = state.data.every((id) => ids.has(id))
  return (
    <details className="groups" open={current !== '' || !same}>
      <summary className="column-head" title={t.data.groupHint}>
        <h2>{t.data.inGroups}</h2>
        <span className="soft small push">{state.data.length}</span>
      </summary>
      <LinkList
        label={t.data.inGroups}
        items={state.data.map((id) => ({ id, to: `${pagePath('data', scope, id)}?group=1`, current: current === id }))}
      />
    </details>
  )
}
