import { Suspense, useId, useMemo, useState } from 'react'
import { aggregate } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { dropDraft } from '../../lib/drafts'
import { type Aggregation, EMPTY_QUERY, OPERATORS, type Order, type Query } from '../../lib/query'
import { renewable } from '../../lib/renewable'
import { documentsRoot } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import type { Value } from '../../lib/value'
import { valueText } from '../../lib/value-text'
import { Icon } from '../../ui/icons'
import { Problem } from '../../ui/states'
import { conditionOf, type Draft, isBegun, keptQuery, LISTS, NEW, queryAddress, TYPES, typedOf, writeTyped } from './query-draft'
import { type Place, sourceOf } from './use-rows'

const ExplainDialog = renewable(() => import('./explain-dialog'))
const CodeDialog = renewable(() => import('./code-dialog'))

type Props = { place: Place; apply: (query: Query) => void; fields: string[] }

/** A form for a query: conditions, orders, a limit and aggregations. */
export function QueryBuilder({ place, apply, fields }: Props) {
  const { t } = useText()
  const { scope } = place
  const root = `${documentsRoot(scope)}/`
  const address = queryAddress(place)
  const [blank] = useState(() => typedOf(place))
  const [first] = useState(() => keptQuery(place) ?? blank)
  const [drafts, setDrafts] = useState<Draft[]>(first.drafts)
  const [rest, setRest] = useState(first.rest)
  const typed = writeTyped({ drafts, rest })
  const unsaved = typed !== writeTyped(blank)
  useKept(
    address,
    useMemo(() => (unsaved ? () => typed : null), [unsaved, typed]),
  )
  const [bad, setBad] = useState<number[]>([])
  const [shown, setShown] = useState<'explain' | 'code' | null>(null)
  const [results, setResults] = useState<Value[]>([])
  const { busy, error, run } = useAction()
  const list = useId()
  const whole = (): Query | null => {
    const filled = drafts.map((draft, i) => ({ draft, i })).filter(({ draft }) => isBegun(draft))
    const conditions = filled.map(({ draft, i }) => ({ i, condition: conditionOf(draft, root) }))
    setBad(conditions.filter(({ condition }) => !condition).map(({ i }) => i))
    if (conditions.some(({ condition }) => !condition)) return null
    const order = rest.order.filter((one) => one.field !== '')
    const aggregations = rest.aggregations.filter((one) => one.kind === 'count' || one.field !== '')
    return { ...rest, order, aggregations, where: conditions.flatMap(({ condition }) => condition ?? []) }
  }
  /** Shows a query. What is typed is in its address by then. */
  const leave = (next: Query) => {
    dropDraft(address)
    apply(next)
  }
  const submit = () => {
    const next = whole()
    if (!next) return
    if (next.aggregations.length > 0) void run(async () => setResults(await aggregate(scope, { query: next, source: sourceOf(place) })))
    else leave(next)
  }
  const show = (what: 'explain' | 'code') => {
    const next = whole()
    if (!next) return
    setRest(next)
    setShown(what)
  }
  const current = shown ? { ...place, query: whole0(rest, drafts, root) } : place
  return (
    <form
      className="builder"
      aria-label={t.query.title}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <datalist id={list}>
        {['__name__', ...fields].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <div className="builder-parts">
        <Conditions drafts={drafts} setDrafts={setDrafts} bad={bad} list={list} rest={rest} setRest={setRest} />
        <Orders orders={rest.order} setOrders={(order) => setRest({ ...rest, order })} list={list} />
        <Aggregations aggregations={rest.aggregations} set={(aggregations) => setRest({ ...rest, aggregations })} list={list} />
        <div className="row">
          <label className="row">
            <span className="label">{t.query.limit}</span>
            <input
              type="number"
              min={1}
              className="short"
              value={rest.limit ?? ''}
              onChange={(event) =>
                setRest({ ...rest, limit: event.target.value === '' ? null : Math.max(1, Math.trunc(Number(event.target.value))) })
              }
            />
          </label>
          <button type="button" className="button plain" onClick={() => show('explain')}>
            {t.query.explain}
          </button>
          <button type="button" className="button plain" onClick={() => show('code')}>
            {t.query.code}
          </button>
        </div>
      </div>
      <div className="builder-foot">
        {results.length > 0 && (
          <dl className="results" role="status">
            {results.map((value, i) => {
              const a = rest.aggregations[i]
              return (
                <div key={i}>
                  <dt>{a ? `${t.query[a.kind]}${a.kind === 'count' ? '' : `(${a.field})`}` : ''}</dt>
                  <dd className="mono">{valueText(value)}</dd>
                </div>
              )
            })}
          </dl>
        )}
        {bad.length > 0 && (
          <p className="bad" role="alert">
            {t.data.badValue}
          </p>
        )}
        {error !== null && <Problem error={error} />}
        <button
          type="button"
          className="button push"
          onClick={() => {
            setDrafts([])
            setRest(EMPTY_QUERY)
            leave(EMPTY_QUERY)
          }}
        >
          {t.query.clear}
        </button>
        {unsaved && (
          <button
            type="button"
            className="button"
            onClick={() => {
              setDrafts(blank.drafts)
              setRest(blank.rest)
            }}
          >
            {t.data.discard}
          </button>
        )}
        <button type="submit" className="button primary" disabled={busy}>
          {t.query.run}
        </button>
      </div>
      <Suspense fallback={null}>
        {shown === 'explain' && <ExplainDialog place={current} close={() => setShown(null)} />}
        {shown === 'code' && <CodeDialog place={current} close={() => setShown(null)} />}
      </Suspense>
    </form>
  )
}

/** The query of the form, without incomplete conditions. */
function whole0(rest: Query, drafts: Draft[], root: string): Query {
  return { ...rest, where: drafts.flatMap((draft) => conditionOf(draft, root) ?? []) }
}

type ConditionsProps = {
  drafts: Draft[]
  setDrafts: (drafts: Draft[]) => void
  bad: number[]
  list: string
  rest: Query
  setRest: (query: Query) => void
}

function Conditions({ drafts, setDrafts, bad, list, rest, setRest }: ConditionsProps) {
  const { t } = useText()
  const set = (i: number, change: Partial<Draft>) => setDrafts(drafts.map((draft, at) => (at === i ? { ...draft, ...change } : draft)))
  return (
    <fieldset className="stack">
      <legend>{t.query.where}</legend>
      {drafts.map((draft, i) => (
        <div className="builder-line" key={i}>
          <input
            className="mono"
            list={list}
            value={draft.field}
            aria-label={t.query.field}
            placeholder={t.query.field}
            onChange={(event) => set(i, { field: event.target.value })}
          />
          <select
            className="mono"
            value={draft.op}
            aria-label={t.query.operator}
            onChange={(event) => set(i, { op: OPERATORS.find((op) => op === event.target.value) ?? '==' })}
          >
            {OPERATORS.map((op) => (
              <option key={op}>{op}</option>
            ))}
          </select>
          <select
            value={draft.type}
            aria-label={t.query.type}
            onChange={(event) => set(i, { type: TYPES.find((type) => type === event.target.value) ?? 'string' })}
          >
            {TYPES.map((type) => (
              <option key={type} value={type}>
                {t.data.types[type]}
              </option>
            ))}
          </select>
          <Operands draft={draft} bad={bad.includes(i)} set={(texts) => set(i, { texts })} />
          <button
            type="button"
            className="button plain icon"
            aria-label={t.query.remove}
            onClick={() => setDrafts(drafts.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div className="row">
        <button type="button" className="button plain" onClick={() => setDrafts([...drafts, NEW])}>
          <Icon name="plus" />
          {t.query.addCondition}
        </button>
        {drafts.length > 1 && (
          <select
            value={rest.match}
            aria-label={t.query.match}
            onChange={(event) => setRest({ ...rest, match: event.target.value === 'any' ? 'any' : 'all' })}
          >
            <option value="all">{t.query.matchAll}</option>
            <option value="any">{t.query.matchAny}</option>
          </select>
        )}
      </div>
    </fieldset>
  )
}

type OperandsProps = { draft: Draft; bad: boolean; set: (texts: string[]) => void }

/** The value of a condition, or the values one by one if its operator has a list. */
function Operands({ draft, bad, set }: OperandsProps) {
  const { t } = useText()
  const list = LISTS.includes(draft.op)
  const texts = list ? draft.texts : draft.texts.slice(0, 1)
  return (
    <div className="operands">
      {texts.map((text, i) => {
        const change = (next: string) => set(draft.texts.map((old, at) => (at === i ? next : old)))
        const label = list ? t.query.valueNumber(i + 1) : t.query.value
        return (
          <div className="operand" key={i}>
            {draft.type === 'boolean' ? (
              <select value={text === 'true' ? 'true' : 'false'} aria-label={label} onChange={(event) => change(event.target.value)}>
                <option>true</option>
                <option>false</option>
              </select>
            ) : (
              <input
                className="mono"
                value={text}
                disabled={draft.type === 'null'}
                aria-label={label}
                aria-invalid={bad}
                placeholder={draft.field === '__name__' ? t.query.nameHint : t.query.value}
                onChange={(event) => change(event.target.value)}
              />
            )}
            {list && texts.length > 1 && (
              <button
                type="button"
                className="button plain icon"
                aria-label={t.query.removeValue(i + 1)}
                onClick={() => set(texts.filter((_, at) => at !== i))}
              >
                <Icon name="close" />
              </button>
            )}
          </div>
        )
      })}
      {list && (
        <button type="button" className="button plain" onClick={() => set([...texts, ''])}>
          <Icon name="plus" />
          {t.query.addValue}
        </button>
      )}
    </div>
  )
}

function Orders({ orders, setOrders, list }: { orders: Order[]; setOrders: (orders: Order[]) => void; list: string }) {
  const { t } = useText()
  const set = (i: number, change: Partial<Order>) => setOrders(orders.map((order, at) => (at === i ? { ...order, ...change } : order)))
  return (
    <fieldset className="stack">
      <legend className="hidden-label">{t.query.order}</legend>
      {orders.map((order, i) => (
        <div className="builder-line" key={i}>
          <span className="label">{t.query.order}</span>
          <input
            className="mono"
            list={list}
            value={order.field}
            aria-label={t.query.order}
            onChange={(event) => set(i, { field: event.target.value })}
          />
          <select
            value={order.direction}
            aria-label={t.query.direction}
            onChange={(event) => set(i, { direction: event.target.value === 'desc' ? 'desc' : 'asc' })}
          >
            <option value="asc">{t.query.asc}</option>
            <option value="desc">{t.query.desc}</option>
          </select>
          <button
            type="button"
            className="button plain icon"
            aria-label={t.query.remove}
            onClick={() => setOrders(orders.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div>
        <button type="button" className="button plain" onClick={() => setOrders([...orders, { field: '', direction: 'asc' }])}>
          <Icon name="plus" />
          {t.query.addOrder}
        </button>
      </div>
    </fieldset>
  )
}

function Aggregations({ aggregations, set, list }: { aggregations: Aggregation[]; set: (all: Aggregation[]) => void; list: string }) {
  const { t } = useText()
  const replace = (i: number, next: Aggregation) => set(aggregations.map((a, at) => (at === i ? next : a)))
  return (
    <fieldset className="stack">
      <legend className="hidden-label">{t.query.aggregations}</legend>
      {aggregations.map((a, i) => (
        <div className="builder-line" key={i}>
          <select
            value={a.kind}
            aria-label={t.query.aggregations}
            onChange={({ target: { value } }) =>
              replace(
                i,
                value === 'count' ? { kind: 'count' } : { kind: value === 'sum' ? 'sum' : 'avg', field: a.kind === 'count' ? '' : a.field },
              )
            }
          >
            <option value="count">{t.query.count}</option>
            <option value="sum">{t.query.sum}</option>
            <option value="avg">{t.query.avg}</option>
          </select>
          {a.kind !== 'count' && (
            <input
              className="mono"
              list={list}
              value={a.field}
              aria-label={t.query.field}
              onChange={(event) => replace(i, { ...a, field: event.target.value })}
            />
          )}
          <button
            type="button"
            className="button plain icon"
            aria-label={t.query.remove}
            onClick={() => set(aggregations.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div>
        <button type="button" className="button plain" onClick={() => set([...aggregations, { kind: 'count' }])}>
          <Icon name="plus" />
          {t.query.addAggregation}
        </button>
      </div>
    </fieldset>
  )
}
