import { Suspense, useMemo, useRef, useState } from 'react'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { pathName, type ValuePath, valueAt } from '../../lib/changes'
import { documentsRoot, type Scope } from '../../lib/scope'
import type { Fields, Value } from '../../lib/value'
import { useSession } from '../../session'
import { Skeleton } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import { type Edit, EditContext } from './edit-context'
import type { DocumentDraft } from './use-document-draft'
import { ValuesEditor } from './value-editor'

const JsonEditor = renewable(() => import('./json-editor'))
const HistoryPanel = renewable(() => import('./history-panel'))

type Props = { scope: Scope; path: string; draft: DocumentDraft; write: boolean; changed: () => void }

/** The draft of a document as fields or as JSON, and the document's history. */
export function DocumentEditor({ scope, path, draft: { draft, edit, typed, writeJson, badJson }, write, changed }: Props) {
  const { t, time } = useText()
  const { features } = useSession()
  const [tab, setTab] = useState<'fields' | 'json' | 'history'>(() => (draft && draft.json !== null ? 'json' : 'fields'))
  const texts = useRef(draft?.texts ?? {})
  texts.current = draft?.texts ?? {}
  const root = `${documentsRoot(scope)}/`
  const [entered, enter] = useState<ValuePath>(TOP)
  const context = useMemo<Edit>(
    () => ({ root, disabled: !write, edit, typed, textAt: (at) => texts.current[JSON.stringify(at)], enter }),
    [root, write, edit, typed],
  )
  if (!draft) return null
  const { base, fields, json, version } = draft
  const at = shownAt(fields, entered)
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
        choose={setTab}
      />
      {tab === 'history' && (
        <Suspense fallback={<Skeleton />}>
          <HistoryPanel scope={scope} path={path} restored={changed} />
        </Suspense>
      )}
      <div className="editor" hidden={tab === 'history'}>
        {tab === 'fields' && json !== null && (
          <div className="notice warn" role="alert">
            {t.data.jsonKept}
            <div>
              <button type="button" className="button" onClick={() => setTab('json')}>
                {t.data.backToJson}
              </button>
            </div>
          </div>
        )}
        {tab === 'fields' && json === null && (
          <EditContext value={context}>
            {Object.keys(fields).length === 0 && <p className="soft">{t.data.noFields}</p>}
            {at.path.length > 0 && <Crumbs path={at.path} enter={enter} />}
            <ValuesEditor
              key={`${version} ${JSON.stringify(at.path)}`}
              value={at.value}
              path={at.path}
              name={pathName(at.path)}
              level={1}
            />
          </EditContext>
        )}
        {tab === 'json' && (
          <Suspense fallback={<Skeleton />}>
            <JsonEditor key={version} root={root} fields={fields} invalid={json} readOnly={!write} change={writeJson} bad={badJson} />
          </Suspense>
        )}
        <dl className="facts">
          <dt>{t.data.created}</dt>
          <dd>{time(base.createTime)}</dd>
          <dt>{t.data.updated}</dt>
          <dd>{time(base.updateTime)}</dd>
        </dl>
      </div>
    </>
  )
}

/** The path of the document's own fields. */
const TOP: [] = []

/** The entered map or array, or the nearest one above it if it is gone. */
function shownAt(fields: Fields, entered: ValuePath): { path: ValuePath; value: Value & { type: 'map' | 'array' } } {
  for (let path = entered; path.length > 0; path = path.slice(0, -1)) {
    const value = valueAt(fields, path)
    if (value?.type === 'map' || value?.type === 'array') return { path, value }
  }
  return { path: TOP, value: { type: 'map', value: fields } }
}

/** The path to the values that are shown. Each map and array above them is a button. */
function Crumbs({ path, enter }: { path: ValuePath; enter: (path: ValuePath) => void }) {
  const { t } = useText()
  return (
    <nav className="value-crumbs mono" aria-label={t.data.place}>
      <button type="button" className="link" onClick={() => enter(TOP)}>
        {t.data.fields}
      </button>
      {path.map((key, i) => (
        <span key={pathName(path.slice(0, i + 1))}>
          <span className="soft"> › </span>
          {i === path.length - 1 ? (
            <strong>{key}</strong>
          ) : (
            <button type="button" className="link" onClick={() => enter(path.slice(0, i + 1))}>
              {key}
            </button>
          )}
        </span>
      ))}
    </nav>
  )
}
