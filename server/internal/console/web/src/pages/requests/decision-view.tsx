import { Fragment, useMemo, useState } from 'react'
import type { Decision } from '../../api/rules'
import { useText } from '../../i18n/text'
import { failed, furthest, type Node, type Reason, reasonOf, short, statementNodes } from '../../lib/denial'
import { rulesLanguage } from '../../lib/rules-language'
import { CodeEditor } from '../../ui/code-editor'
import { coverageMarks, decidingLines } from '../rules/coverage-view'

const TONES = { allow: 'good', deny: 'bad', error: 'bad', admin: '' } as const

/** A decision of the rules: why it denied, its statements, and the value of every evaluated expression. */
export default function DecisionView({ source, decision }: { source: string; decision: Decision }) {
  const { t, number } = useText()
  const marks = useMemo(() => [coverageMarks(source, decision.expressions), decidingLines(source, decision.statements)], [source, decision])
  const nodes = useMemo(() => statementNodes(source, decision.expressions, decision.statements), [source, decision])
  const { cost } = decision
  const [chosen, setChosen] = useState<number | null>(null)
  const decider = decision.allowed ? null : furthest(nodes)
  const reason = decider && reasonOf(decider)
  return (
    <div className="stack">
      <div className="row" role="status">
        <span className={`tag ${TONES[decision.outcome]}`}>{decision.outcome}</span>
        {reason ? (
          <Sentence reason={reason} show={setChosen} />
        ) : (
          <span className="wrap" lang="en">
            {decision.denial}
          </span>
        )}
      </div>
      {cost && (
        <p className="soft small">
          {t.requests.cost(number(cost.evaluations), number(cost.lookups), `${number(cost.microseconds / 1000)} ms`)}
        </p>
      )}
      {source && (
        <div className="some">
          <CodeEditor
            text={source}
            language={rulesLanguage}
            label={t.pages.rules}
            readOnly
            extra={marks}
            line={chosen ?? reason?.steps[0]?.line ?? decision.statements.at(-1)?.line}
          />
        </div>
      )}
      {decision.statements.length > 0 && (
        <section className="stack" aria-label={t.requests.values}>
          <h3>{t.requests.values}</h3>
          <ul className="values">
            {decision.statements.map((statement, i) => (
              <Statement key={i} statement={statement} node={nodes.find((node) => node.line === statement.line)} show={setChosen} />
            ))}
          </ul>
        </section>
      )}
      {decision.lookups.length > 0 && (
        <section className="stack" aria-label={t.requests.lookups}>
          <h3>{t.requests.lookups}</h3>
          <ul className="list">
            {decision.lookups.map(({ path, exists }) => (
              <li key={path}>
                <span className="mono wrap">{path}</span>
                <span className={`tag ${exists ? 'good' : ''}`}>{exists ? t.requests.exists : t.requests.absent}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

type Show = (line: number) => void

/** Why a statement did not allow, in one sentence that begins with the line to look at. */
function Sentence({ reason, show }: { reason: Reason; show: Show }) {
  const { t } = useText()
  const line = reason.steps[0]?.line ?? 1
  return (
    <span className="wrap">
      <button type="button" className="link" onClick={() => show(line)}>
        {t.requests.lineShort(line)}
      </button>
      {': '}
      {reason.steps.map((step, i) => (
        <Fragment key={i}>
          {i > 0 && ` ${t.requests.because} `}
          <code>{step.text}</code> {step.error ? t.requests.noValue(step.error) : t.requests.isFalse}
        </Fragment>
      ))}
      {reason.values.map(({ text, value }) => (
        <Fragment key={text}>
          {', '}
          <code>
            {text} = {value}
          </code>
        </Fragment>
      ))}
    </span>
  )
}

type StatementProps = { statement: Decision['statements'][number]; node: Node | undefined; show: Show }

/** A statement with its expressions. Those that did not fail are folded. */
function Statement({ statement, node, show }: StatementProps) {
  const { t } = useText()
  const reason = node ? reasonOf(node) : null
  return (
    <li>
      <div className="row">
        <span className={`tag ${TONES[statement.outcome]}`}>{statement.outcome}</span>
        {reason ? (
          <Sentence reason={reason} show={show} />
        ) : (
          <>
            <button type="button" className="link" onClick={() => show(statement.line)}>
              {t.requests.lineShort(statement.line)}
            </button>
            <span className="wrap soft" lang="en">
              {statement.failure}
            </span>
          </>
        )}
      </div>
      {node && (
        <ul className="values">
          <Value node={node} />
        </ul>
      )}
    </li>
  )
}

/** An expression, its values, and the expressions in it and in the function that it calls. */
function Value({ node }: { node: Node }) {
  const below = [...node.children, ...node.called]
  const text = (
    <>
      <span className="mono wrap">{node.text}</span> <span className="mono wrap soft">{short(node.labels.join(', ')) || '—'}</span>
    </>
  )
  if (below.length === 0) return <li>{text}</li>
  return (
    <li>
      <details open={failed(node)}>
        <summary>{text}</summary>
        <ul className="values">
          {below.map((one, i) => (
            <Value key={i} node={one} />
          ))}
        </ul>
      </details>
    </li>
  )
}
