import { Suspense, useMemo, useState } from 'react'
import * as v from 'valibot'
import { type Decision, type FullRequest, loadCase, loadRequest, type Replay, replayRequest } from '../../api/rules'
import { useText } from '../../i18n/text'
import { download } from '../../lib/download'
import { keptDraft } from '../../lib/drafts'
import { formatDocument, parseDocument } from '../../lib/json-document'
import { renewable } from '../../lib/renewable'
import { documentsRoot } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { useLoad } from '../../lib/use-load'
import { fieldsFromWire, fieldsToWire, WireFields } from '../../lib/value'
import { Dialog } from '../../ui/dialog'
import { Input } from '../../ui/input'
import { Loaded, Problem, Skeleton } from '../../ui/states'
import { Tabs } from '../../ui/tabs'

const DecisionView = renewable(() => import('./decision-view'))

type Tab = 'decision' | 'request' | 'replay'

/** One request: its decision, its details, and its replay, whose draft is kept by the dialog's address. */
export function RequestDialog({ id, address, close }: { id: string; address: string; close: () => void }) {
  const { t } = useText()
  const [tab, setTab] = useState<Tab>(() => (keptDraft(address) === null ? 'decision' : 'replay'))
  const { state, reload } = useLoad(id, (signal) => loadRequest(id, signal))
  const { busy, error, run } = useAction()
  const makeCase = async () => {
    const { case: one } = await loadCase(id)
    download(`case-${id}.json`, 'application/json', [JSON.stringify({ cases: [one] }, null, 2)])
  }
  const tabs = [
    { id: 'decision', label: t.requests.decision },
    { id: 'request', label: t.requests.request },
    { id: 'replay', label: t.requests.replay },
  ] as const
  const title = state.status === 'ready' ? `${state.data.method} ${state.data.path}` : id
  return (
    <Dialog title={title} close={close} wide>
      <Tabs label={t.requests.request} tabs={tabs} chosen={tab} choose={setTab} />
      <Loaded state={state} reload={reload}>
        {(request) => (
          <Suspense fallback={<Skeleton />}>
            {tab === 'decision' && <DecisionView source={request.source ?? ''} decision={request.decision} />}
            {tab === 'request' && <Facts request={request} />}
            {tab === 'replay' && <ReplayForm request={request} address={address} />}
          </Suspense>
        )}
      </Loaded>
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" disabled={busy} onClick={() => void run(makeCase)}>
          {t.requests.makeCase}
        </button>
      </div>
    </Dialog>
  )
}

function Facts({ request }: { request: FullRequest }) {
  const { t, time } = useText()
  const parts = [
    { label: t.requests.auth, value: request.auth },
    { label: t.requests.before, value: request.before },
    { label: t.requests.after, value: request.after },
    { label: t.query.title, value: request.query },
  ].filter((part) => part.value !== undefined && part.value !== null)
  return (
    <div className="stack">
      <dl className="facts">
        <dt>{t.audit.time}</dt>
        <dd>{time(request.time)}</dd>
        <dt>{t.requests.user}</dt>
        <dd className="mono">{request.uid ?? t.users.anonymous}</dd>
      </dl>
      {parts.map((part) => (
        <section key={part.label} className="stack" aria-label={part.label}>
          <h3>{part.label}</h3>
          <pre className="code" tabIndex={0}>
            {JSON.stringify(part.value, null, 2)}
          </pre>
        </section>
      ))}
    </div>
  )
}

const AfterDocument = v.object({ fields: v.optional(WireFields, {}) })

/** The document after a request as text; null if there is none. */
function dataOf(request: FullRequest, root: string): string | null {
  const after = v.safeParse(AfterDocument, request.after)
  return after.success ? formatDocument(fieldsFromWire(after.output.fields), root) : null
}

/** What is typed into the form of a replay. */
const Typed = v.object({ uid: v.string(), token: v.string(), at: v.string(), data: v.nullable(v.string()) })
type Typed = v.InferOutput<typeof Typed>

/** Reads a kept draft; null if there is none. */
function readTyped(text: string | null): Typed | null {
  const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), Typed), text)
  return kept.success ? kept.output : null
}

/** Evaluates the request again, with another user, time or document. */
function ReplayForm({ request, address }: { request: FullRequest; address: string }) {
  const { t } = useText()
  const root = `${documentsRoot(request)}/`
  const [blank] = useState<Typed>(() => ({
    uid: request.uid ?? '',
    token: JSON.stringify(request.auth?.token ?? {}, null, 2),
    at: '',
    data: dataOf(request, root),
  }))
  const [typed, setTyped] = useState(() => readTyped(keptDraft(address)) ?? blank)
  const { uid, token, at, data } = typed
  const before = blank.data
  const set = (change: Partial<Typed>) => setTyped({ ...typed, ...change })
  const text = JSON.stringify(typed)
  const unsaved = text !== JSON.stringify(blank)
  useKept(
    address,
    useMemo(() => (unsaved ? () => text : null), [unsaved, text]),
  )
  const [decision, setDecision] = useState<Decision | null>(null)
  const { busy, error, run } = useAction()
  const replay = async () => {
    const what: Replay = { as: uid ? { uid, token: JSON.parse(token) } : null }
    if (at) what.at = new Date(at).toISOString()
    if (data !== null && data !== before) what.data = fieldsToWire(parseDocument(data, root))
    setDecision(await replayRequest(request.id, what))
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(replay)
      }}
    >
      <div className="two">
        <Input label={t.requests.as} hint={t.requests.asHint} className="mono" value={uid} set={(next) => set({ uid: next })} />
        <label className="field">
          <span>{t.requests.at}</span>
          <input type="datetime-local" step="1" value={at} onChange={(event) => set({ at: event.target.value })} />
        </label>
      </div>
      <label className="field">
        <span>{t.requests.token}</span>
        <textarea className="mono" rows={5} value={token} disabled={!uid} onChange={(event) => set({ token: event.target.value })} />
      </label>
      {data !== null && (
        <label className="field">
          <span>{t.requests.data}</span>
          <textarea className="mono" rows={6} value={data} onChange={(event) => set({ data: event.target.value })} />
        </label>
      )}
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        {unsaved && (
          <button type="button" className="button" onClick={() => setTyped(blank)}>
            {t.data.discard}
          </button>
        )}
        <button type="submit" className="button primary" disabled={busy}>
          {t.requests.decide}
        </button>
      </div>
      {decision && <DecisionView source={request.source ?? ''} decision={decision} />}
    </form>
  )
}
