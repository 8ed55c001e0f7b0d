import type { Diagnostic } from '@codemirror/lint'
import { useMemo, useState } from 'react'
import * as v from 'valibot'
import { applyRules, checkRules, type Issue, replayAll, runCases } from '../../api/rules'
import { useText } from '../../i18n/text'
import { byteIndex } from '../../lib/bytes'
import { download } from '../../lib/download'
import { dropDraft, keptDraft } from '../../lib/drafts'
import { rulesLanguage } from '../../lib/rules-language'
import { pagePath, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { useSession } from '../../session'
import { CodeEditor } from '../../ui/code-editor'
import { DiffView } from '../../ui/diff-view'
import { Problem } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import { useToast } from '../../ui/toasts'
import { CoverageView } from './coverage-view'

const REPLAYED = [50, 200, 1000] as const
const CaseFile = v.union([v.object({ cases: v.array(v.unknown()) }), v.array(v.unknown())])

type Tab = 'draft' | 'difference' | 'coverage'
type Result =
  | { kind: 'cases'; rows: { id: string; good: boolean; text: string }[] }
  | { kind: 'replay'; same: number; rows: { id: string; was: string; now: string }[] }

const Kept = v.object({ base: v.string(), text: v.string() })

/** Reads a kept draft: its text, and the rules that were in force when it was begun. */
function readKept(text: string | null): v.InferOutput<typeof Kept> | null {
  const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), Kept), text)
  return kept.success ? kept.output : null
}

/** A draft of rules. It is checked while the user types, compared, run on cases and recorded requests, and then applied or saved. */
export default function RulesWorkshop({ scope, inForce, reload }: { scope: Scope; inForce: string; reload: () => void }) {
  const { t } = useText()
  const { features, write } = useSession()
  const address = pagePath('rules', scope)
  const [kept] = useState(() => readKept(keptDraft(address)))
  const [draft, setDraft] = useState(kept?.text ?? inForce)
  const [base, setBase] = useState(kept?.base ?? inForce)
  const [checked, setChecked] = useState(inForce)
  const unsaved = useMemo(() => (draft === inForce ? null : () => JSON.stringify({ base, text: draft })), [draft, inForce, base])
  useKept(address, unsaved)
  const [tab, setTab] = useState<Tab>('draft')
  const [issues, setIssues] = useState<Issue[]>([])
  const [result, setResult] = useState<Result | null>(null)
  const [howMany, setHowMany] = useState<number>(REPLAYED[1])
  const { busy, error, run } = useAction()
  const toast = useToast()
  const check = async (text: string): Promise<Diagnostic[]> => {
    const found = (await checkRules(text)).issues
    setIssues(found)
    setChecked(text)
    const at = byteIndex(text)
    return found.map(({ start: from, end: to, severity, text: message }) => ({
      from: at(from),
      to: Math.max(at(to), at(from)),
      severity: severity === 'ERROR' ? 'error' : 'warning',
      message,
    }))
  }
  const apply = async () => {
    const { ok, issues: found } = await applyRules(scope, draft)
    setIssues(found)
    if (!ok) return
    dropDraft(address)
    toast(t.rules.applied)
    reload()
  }
  const replay = async () => {
    const { ok, issues: found, results } = await replayAll(draft, howMany)
    setIssues(found)
    if (ok)
      setResult({
        kind: 'replay',
        same: results.filter((one) => one.was === one.now).length,
        rows: results.filter((one) => one.was !== one.now),
      })
  }
  const cases = async (files: File[]) => {
    const all = await casesOf(files)
    if (all.length === 0) throw new Error(t.rules.noCases)
    const { results } = await runCases(scope, draft, all)
    setResult({
      kind: 'cases',
      rows: results.map((one) => ({
        id: one.id,
        good: one.good,
        text: one.good ? one.verdict : `${one.verdict} ≠ ${one.expected}${one.why ? `: ${one.why}` : ''}`,
      })),
    })
  }
  const tabs = [
    { id: 'draft' as const, label: t.rules.draft },
    { id: 'difference' as const, label: t.rules.difference },
    ...(features.includes('coverage') ? [{ id: 'coverage' as const, label: t.rules.coverage }] : []),
  ]
  const wrong = draft !== checked || issues.some((issue) => issue.severity === 'ERROR')
  return (
    <div className="stack">
      <Tabs label={t.pages.rules} tabs={tabs} chosen={tab} choose={setTab} />
      {tab === 'draft' && (
        <div className="tall">
          <CodeEditor text={draft} language={rulesLanguage} label={t.rules.draft} changed={setDraft} check={check} />
        </div>
      )}
      {tab === 'difference' && <DiffView before={inForce} after={draft} label={t.rules.difference} same={t.rules.noDifference} />}
      {tab === 'coverage' && <CoverageView scope={scope} />}
      <ul className="list" aria-label={t.rules.issues}>
        {issues.map((issue) => (
          <li key={`${issue.start} ${issue.text}`}>
            <span className={`tag ${issue.severity === 'ERROR' ? 'bad' : 'warn'}`}>{t.data.lineColumn(issue.line, issue.column)}</span>
            <span className="wrap" lang="en">
              {issue.text}
            </span>
          </li>
        ))}
      </ul>
      {error !== null && <Problem error={error} />}
      {unsaved && (
        <div className="row">
          <span className={base === inForce ? 'soft' : 'bad'} role="status">
            {base === inForce ? t.data.unsaved : t.rules.changedSince}
          </span>
          <button
            type="button"
            className="button"
            onClick={() => {
              setDraft(inForce)
              setBase(inForce)
            }}
          >
            {t.data.discard}
          </button>
        </div>
      )}
      <div className="row">
        <CaseFiles label={t.rules.runCases} folder={false} chosen={(files) => void run(() => cases(files))} />
        <CaseFiles label={t.rules.runFolder} folder chosen={(files) => void run(() => cases(files))} />
        {features.includes('requests') && (
          <>
            <button type="button" className="button" disabled={busy} onClick={() => void run(replay)}>
              {t.rules.replay}
            </button>
            <select value={howMany} aria-label={t.rules.howMany} onChange={(event) => setHowMany(Number(event.target.value))}>
              {REPLAYED.map((n) => (
                <option key={n} value={n}>
                  {t.rules.lastRequests(n)}
                </option>
              ))}
            </select>
          </>
        )}
        <button type="button" className="button" onClick={() => download('firestore.rules', 'text/plain', [draft])}>
          {t.rules.save}
        </button>
        {features.includes('rulesApply') && write && (
          <button type="button" className="button primary" disabled={busy || wrong || draft === inForce} onClick={() => void run(apply)}>
            {t.rules.apply}
          </button>
        )}
      </div>
      {result && <Results result={result} />}
    </div>
  )
}

/** The cases in files, ordered by file name. An error for an invalid file contains its name. */
async function casesOf(files: readonly File[]): Promise<unknown[]> {
  const all: unknown[] = []
  const named = files.filter((file) => file.name.endsWith('.json')).toSorted((a, b) => pathOf(a).localeCompare(pathOf(b)))
  for (const file of named) {
    try {
      const parsed = v.parse(CaseFile, JSON.parse(await file.text()))
      all.push(...(Array.isArray(parsed) ? parsed : parsed.cases))
    } catch (failure) {
      throw new Error(`${pathOf(file)}: ${failure instanceof Error ? failure.message : String(failure)}`)
    }
  }
  return all
}

const pathOf = (file: File): string => file.webkitRelativePath || file.name

/** A button that opens files of cases, or a folder of them. */
function CaseFiles({ label, folder, chosen }: { label: string; folder: boolean; chosen: (files: File[]) => void }) {
  return (
    <label className="button">
      {label}
      <input
        type="file"
        className="hidden-label"
        multiple
        accept={folder ? undefined : '.json,application/json'}
        {...(folder && { webkitdirectory: '' })}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          if (files.length > 0) chosen(files)
          event.target.value = ''
        }}
      />
    </label>
  )
}

function Results({ result }: { result: Result }) {
  const { t } = useText()
  if (result.kind === 'cases') {
    return (
      <div role="status">
        <ul className="list">
          <li>
            <strong>{t.rules.cases(result.rows.filter((row) => row.good).length, result.rows.length)}</strong>
          </li>
          {result.rows.map((row) => (
            <li key={row.id}>
              <span className={`tag ${row.good ? 'good' : 'bad'}`}>{row.id}</span>
              <span className="mono wrap">{row.text}</span>
            </li>
          ))}
        </ul>
      </div>
    )
  }
  return (
    <div role="status">
      <ul className="list">
        <li>
          <strong>{t.rules.replayed(result.same, result.rows.length)}</strong>
        </li>
        {result.rows.map((row) => (
          <li key={row.id}>
            <span className="mono">{row.id}</span>
            <span className="tag">{row.was}</span> → <span className={`tag ${row.now === 'allow' ? 'good' : 'bad'}`}>{row.now}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
