import type { Diagnostic } from '@codemirror/lint'
import { useState } from 'react'
import * as v from 'valibot'
import { applyRules, checkRules, type Issue, replayAll, runCases } from '../../api/rules'
import { useText } from '../../i18n/text'
import { byteIndex } from '../../lib/bytes'
import { download } from '../../lib/download'
import { rulesLanguage } from '../../lib/rules-language'
import type { Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useSession } from '../../session'
import { CodeEditor } from '../../ui/code-editor'
import { DiffView } from '../../ui/diff-view'
import { Problem } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import { useToast } from '../../ui/toasts'
import { CoverageView } from './coverage-view'

const REPLAYED = 500
const CaseFile = v.union([v.object({ cases: v.array(v.unknown()) }), v.array(v.unknown())])

type Tab = 'draft' | 'difference' | 'coverage'
type Result =
  | { kind: 'cases'; rows: { id: string; good: boolean; text: string }[] }
  | { kind: 'replay'; same: number; rows: { id: string; was: string; now: string }[] }

/** A draft of rules: checked as it is typed, compared, tried on cases and on recorded requests, then applied or saved. */
export default function RulesWorkshop({ scope, inForce, reload }: { scope: Scope; inForce: string; reload: () => void }) {
  const { t } = useText()
  const { features, write } = useSession()
  const [draft, setDraft] = useState(inForce)
  const [start, setStart] = useState(inForce)
  const [tab, setTab] = useState<Tab>('draft')
  const [issues, setIssues] = useState<Issue[]>([])
  const [result, setResult] = useState<Result | null>(null)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const check = async (text: string): Promise<Diagnostic[]> => {
    setDraft(text)
    const found = (await checkRules(text)).issues
    setIssues(found)
    const at = byteIndex(text)
    return found.map(({ start: from, end: to, severity, text: message }) => ({
      from: at(from),
      to: Math.max(at(to), at(from)),
      severity: severity === 'ERROR' ? 'error' : 'warning',
      message,
    }))
  }
  const choose = (next: Tab) => {
    setStart(draft)
    setTab(next)
  }
  const apply = async () => {
    const { ok, issues: found } = await applyRules(scope, draft)
    setIssues(found)
    if (!ok) return
    toast(t.rules.applied)
    reload()
  }
  const replay = async () => {
    const { ok, issues: found, results } = await replayAll(draft, REPLAYED)
    setIssues(found)
    if (ok)
      setResult({
        kind: 'replay',
        same: results.filter((one) => one.was === one.now).length,
        rows: results.filter((one) => one.was !== one.now),
      })
  }
  const cases = async (file: File) => {
    const parsed = v.parse(CaseFile, JSON.parse(await file.text()))
    const { results } = await runCases(scope, draft, Array.isArray(parsed) ? parsed : parsed.cases)
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
  const wrong = issues.some((issue) => issue.severity === 'ERROR')
  return (
    <div className="stack">
      <Tabs label={t.pages.rules} tabs={tabs} chosen={tab} choose={choose} />
      {tab === 'draft' && (
        <div className="tall">
          <CodeEditor text={start} language={rulesLanguage} label={t.rules.draft} check={check} />
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
      <div className="row">
        <label className="button">
          {t.rules.runCases}
          <input
            type="file"
            className="hidden-label"
            accept=".json,application/json"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file) void run(() => cases(file))
              event.target.value = ''
            }}
          />
        </label>
        {features.includes('requests') && (
          <button type="button" className="button" disabled={busy} onClick={() => void run(replay)}>
            {t.rules.replay}
          </button>
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

function Results({ result }: { result: Result }) {
  const { t } = useText()
  if (result.kind === 'cases') {
    return (
      <ul className="list" role="status">
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
    )
  }
  return (
    <ul className="list" role="status">
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
  )
}
