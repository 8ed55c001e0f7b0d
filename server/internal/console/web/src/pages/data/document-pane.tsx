import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/http'
import { loadCollections } from '../../api/collections'
import { commit, type Doc, getDocument } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { collectionOf, pagePath, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { type Fields, same } from '../../lib/value'
import { useSession } from '../../session'
import { Icon } from '../../ui/icons'
import { Menu } from '../../ui/menu'
import { Empty, Loaded, Problem, Skeleton } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import { useToast } from '../../ui/toasts'
import { DeleteDialog } from './delete-dialog'
import { LinkList } from './link-list'
import { NewDocumentDialog } from './new-document-dialog'
import { FieldsEditor } from './value-editor'

const JsonEditor = renewable(() => import('./json-editor'))
const HistoryPanel = renewable(() => import('./history-panel'))

type Props = { scope: Scope; path: string; open: (path: string | null) => void; changed: () => void }
type Asked = 'duplicate' | 'rename' | 'delete' | null

/** One document: its fields, its collections, and its actions. */
export function DocumentPane({ scope, path, open, changed }: Props) {
  const { t } = useText()
  const { write } = useSession()
  const { state, reload } = useLoad(path, (signal) => getDocument(scope, path, signal))
  const [asked, setAsked] = useState<Asked>(null)
  const [doc, setDoc] = useState<Doc | null>(null)
  useEffect(() => {
    if (state.status === 'ready') setDoc(state.data)
  }, [state])
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
              { label: t.data.deleteDocument, act: () => setAsked('delete'), disabled: !write },
              { label: t.common.refresh, act: reload },
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
          {(loaded) =>
            loaded === null ? (
              <Gone
                scope={scope}
                path={path}
                restored={() => {
                  reload()
                  changed()
                }}
              />
            ) : (
              <Editor scope={scope} loaded={loaded} reload={reload} write={write} changed={changed} known={setDoc} />
            )
          }
        </Loaded>
        <Below scope={scope} path={path} />
      </div>
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
      <Empty>{t.data.gone}</Empty>
      {features.includes('history') && (
        <Suspense fallback={<Skeleton />}>
          <HistoryPanel scope={scope} path={path} restored={restored} />
        </Suspense>
      )}
    </>
  )
}

/** The collections of a document. */
function Below({ scope, path }: { scope: Scope; path: string }) {
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
}

const sameFields = (a: Fields, b: Fields): boolean => same({ type: 'map', value: a }, { type: 'map', value: b })

type EditorProps = { scope: Scope; loaded: Doc; reload: () => void; write: boolean; changed: () => void; known: (doc: Doc) => void }

/** The draft of a document, as fields or as JSON. Changes by other clients are loaded automatically unless there is a draft. */
function Editor({ scope, loaded, reload, write, changed, known }: EditorProps) {
  const { t, time } = useText()
  const { features } = useSession()
  const [base, setBase] = useState(loaded)
  const [draft, setDraft] = useState(loaded.fields)
  const [tab, setTab] = useState<'fields' | 'json' | 'history'>('fields')
  const [version, setVersion] = useState(0)
  const [elsewhere, setElsewhere] = useState(false)
  const [badJson, setBadJson] = useState(false)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const dirty = !sameFields(draft, base.fields)
  const take = useCallback(
    (doc: Doc) => {
      setBase(doc)
      setDraft(doc.fields)
      setElsewhere(false)
      setVersion((n) => n + 1)
      known(doc)
    },
    [known],
  )
  const state = useRef({ dirty, base })
  state.current = { dirty, base }
  useEffect(() => {
    if (loaded.updateTime !== state.current.base.updateTime) take(loaded)
  }, [loaded, take])
  useDocumentChanges(scope, base.path, async () => {
    const now = await getDocument(scope, base.path)
    if (now?.updateTime === state.current.base.updateTime) return
    if (!now) reload()
    else if (state.current.dirty) setElsewhere(true)
    else take(now)
  })
  const loadTheirs = async () => {
    const doc = await getDocument(scope, base.path)
    if (doc) take(doc)
  }
  const save = (over: boolean) =>
    void run(async () => {
      try {
        const was = base.fields
        await commit(scope, [{ kind: 'set', path: base.path, fields: draft, ...(over ? {} : { updateTime: base.updateTime }) }])
        const now = await getDocument(scope, base.path)
        if (now) take(now)
        changed()
        const undo = async () => {
          await commit(scope, [{ kind: 'set', path: base.path, fields: was, updateTime: now?.updateTime ?? '' }])
          const back = await getDocument(scope, base.path)
          if (back) take(back)
        }
        toast(t.data.updated, { action: { label: t.common.undo, act: () => void run(undo) } })
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 'FAILED_PRECONDITION') setElsewhere(true)
        else throw failure
      }
    })
  return (
    <>
      <Tabs
        label={t.data.document}
        tabs={[
          { id: 'fields', label: t.data.fields },
          { id: 'json', label: t.data.json },
          ...(features.includes('history') ? [{ id: 'history' as const, label: t.data.history }] : []),
        ]}
        chosen={tab}
        choose={(next) => {
          setVersion((n) => n + 1)
          setBadJson(false)
          setTab(next)
        }}
      />
      {tab === 'history' && (
        <Suspense fallback={<Skeleton />}>
          <HistoryPanel scope={scope} path={base.path} restored={changed} />
        </Suspense>
      )}
      <div className="editor" hidden={tab === 'history'}>
        {elsewhere && (
          <div className="notice warn" role="alert">
            {t.data.changedElsewhere}
            <div className="row">
              <button type="button" className="button" onClick={() => void run(loadTheirs)}>
                {t.data.loadTheirs}
              </button>
              <button type="button" className="button" disabled={busy} onClick={() => save(true)}>
                {t.data.saveOver}
              </button>
            </div>
          </div>
        )}
        {error !== null && <Problem error={error} />}
        {tab !== 'json' ? (
          <>
            {Object.keys(draft).length === 0 && <p className="soft">{t.data.noFields}</p>}
            <FieldsEditor
              key={version}
              scope={scope}
              disabled={!write}
              fields={draft}
              prefix=""
              set={setDraft}
              addLabel={t.data.addField}
            />
          </>
        ) : (
          <Suspense fallback={<Skeleton />}>
            <JsonEditor key={version} scope={scope} fields={draft} readOnly={!write} change={setDraft} bad={setBadJson} />
          </Suspense>
        )}
        <dl className="facts">
          <dt>{t.data.created}</dt>
          <dd>{time(base.createTime)}</dd>
          <dt>{t.data.updated}</dt>
          <dd>{time(base.updateTime)}</dd>
        </dl>
      </div>
      {(dirty || badJson) && (
        <div className="save-bar sticky">
          <span className="soft">{t.data.unsaved}</span>
          <button type="button" className="button push" onClick={() => take(base)}>
            {t.data.discard}
          </button>
          <button type="button" className="button primary" disabled={busy || badJson} onClick={() => save(false)}>
            {t.common.save}
          </button>
        </div>
      )}
    </>
  )
}

/** Calls changed when the server reports a change of a document. */
function useDocumentChanges(scope: Scope, path: string, changed: () => Promise<void>): void {
  const latest = useRef(changed)
  latest.current = changed
  const { project, database } = scope
  useEffect(() => {
    let stop = () => {}
    let ended = false
    import('../../api/live').then(
      ({ watchDocument }) => {
        // The table shows a lost connection. The document can still be refreshed.
        if (!ended) stop = watchDocument({ project, database }, path, () => void latest.current().catch(() => {}))
      },
      () => {},
    )
    return () => {
      ended = true
      stop()
    }
  }, [project, database, path])
}
