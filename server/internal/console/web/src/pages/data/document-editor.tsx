import { Suspense, useMemo, useRef, useState } from 'react'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { documentsRoot, type Scope } from '../../lib/scope'
import { useSession } from '../../session'
import { Skeleton } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import type { DocumentDraft } from './use-document-draft'
import { type Edit, EditContext, FieldsEditor } from './value-editor'

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
  const context = useMemo<Edit>(
    () => ({ root, disabled: !write, edit, typed, textAt: (at) => texts.current[JSON.stringify(at)] }),
    [root, write, edit, typed],
  )
  if (!draft) return null
  const { base, fields, json, version } = draft
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
            <FieldsEditor key={version} fields={fields} path={TOP} name="" addLabel={t.data.addField} />
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
