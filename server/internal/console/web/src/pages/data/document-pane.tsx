import { memo, type ReactNode, Suspense, useState } from 'react'
import { loadCollections } from '../../api/collections'
import { commit, getDocument } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { collectionOf, pagePath, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { Icon } from '../../ui/icons'
import { Menu } from '../../ui/menu'
import { Empty, Loaded, Problem, Skeleton } from '../../ui/states'
import { DeleteDialog } from './delete-dialog'
import { DocumentEditor } from './document-editor'
import { LinkList } from './link-list'
import { NewDocumentDialog } from './new-document-dialog'
import { SaveBar } from './save-bar'
import { useDocumentDraft } from './use-document-draft'

const HistoryPanel = renewable(() => import('./history-panel'))

type Props = { scope: Scope; path: string; open: (path: string | null) => void; changed: () => void; edge: ReactNode }
type Asked = 'duplicate' | 'rename' | 'delete' | null

/** One document: its fields, its collections, and its actions. */
export function DocumentPane({ scope, path, open, changed, edge }: Props) {
  const { t } = useText()
  const { write } = useSession()
  const { state, reload } = useLoad(path, (signal) => getDocument(scope, path, signal))
  const draft = useDocumentDraft(scope, path, state, changed)
  const [asked, setAsked] = useState<Asked>(null)
  const doc = draft.draft && !draft.draft.gone ? draft.draft.base : null
  const parent = collectionOf(path).parent
  const made = (next: string) => {
    changed()
    open(next)
  }
  const rename = async (next: string) => {
    await commit(scope, [{ kind: 'delete', path }])
    made(next)
  }
  const { error, run } = useAction()
  const there = doc !== null
  return (
    <section className="column" aria-label={path}>
      {edge}
      <div className="column-head">
        <button type="button" className="button plain icon picker" aria-label={t.data.backToList} onClick={() => open(null)}>
          <Icon name="back" />
        </button>
        <h2 className="mono wrap">{path.split('/').at(-1)}</h2>
        <div className="row push">
          <Menu
            label={t.data.actions}
            items={[
              { label: t.data.duplicate, act: () => setAsked('duplicate'), disabled: !write || !there },
              { label: t.data.rename, act: () => setAsked('rename'), disabled: !write || !there },
              { label: t.common.refresh, act: reload },
              { label: t.data.deleteDocument, act: () => setAsked('delete'), disabled: !write, danger: true },
            ]}
          />
          <button type="button" className="button plain icon" aria-label={t.common.close} onClick={() => open(null)}>
            <Icon name="close" />
          </button>
        </div>
      </div>
      <div className="column-body">
        {error !== null && <Problem error={error} />}
        <Loaded state={state} reload={reload}>
          {() =>
            draft.draft ? (
              <DocumentEditor scope={scope} path={path} draft={draft} write={write} changed={changed} />
            ) : (
              <Gone
                scope={scope}
                path={path}
                restored={() => {
                  reload()
                  changed()
                }}
              />
            )
          }
        </Loaded>
        <Below scope={scope} path={path} />
      </div>
      {state.status === 'ready' && <SaveBar draft={draft} />}
      {(asked === 'duplicate' || asked === 'rename') && doc && (
        <NewDocumentDialog
          scope={scope}
          parent={collectionOf(parent).parent}
          collection={parent}
          fields={doc.fields}
          id={asked === 'rename' ? doc.id : undefined}
          title={asked === 'rename' ? t.data.rename : t.data.duplicate}
          hint={asked === 'rename' ? t.data.renameHint : undefined}
          close={() => setAsked(null)}
          done={(next) => (asked === 'rename' ? void run(() => rename(next)) : made(next))}
        />
      )}
      {asked === 'delete' && (
        <DeleteDialog
          scope={scope}
          paths={[path]}
          close={() => setAsked(null)}
          done={() => {
            changed()
            reload()
          }}
        />
      )}
    </section>
  )
}

/** A missing document, with its former versions. */
function Gone({ scope, path, restored }: { scope: Scope; path: string; restored: () => void }) {
  const { t } = useText()
  const { features } = useSession()
  return (
    <>
      <Empty icon="data">{t.data.gone}</Empty>
      {features.includes('history') && (
        <Suspense fallback={<Skeleton />}>
          <HistoryPanel scope={scope} path={path} restored={restored} />
        </Suspense>
      )}
    </>
  )
}

/** The collections of a document. */
const Below = memo(function Below({ scope, path }: { scope: Scope; path: string }) {
  const { t, number } = useText()
  const { state, reload } = useLoad(`below ${path}`, (signal) => loadCollections(scope, path, true, signal))
  return (
    <>
      <div className="column-head">
        <h2>{t.data.subcollections}</h2>
      </div>
      <Loaded state={state} reload={reload} rows={2}>
        {(found) =>
          found.length === 0 ? (
            <p className="soft below-none">{t.common.none}</p>
          ) : (
            <LinkList
              label={t.data.subcollections}
              items={found.map((one) => ({
                id: one.id,
                to: pagePath('data', scope, one.path),
                note: one.count === undefined ? '' : `${number(one.count)}${one.more ? '+' : ''}`,
              }))}
            />
          )
        }
      </Loaded>
    </>
  )
})
