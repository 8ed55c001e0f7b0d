import { useMemo, useState } from 'react'
import type { Decision, Expression } from '../../api/rules'
import { useText } from '../../i18n/text'
import { byteIndex } from '../../lib/bytes'
import { rulesLanguage } from '../../lib/rules-language'
import { valueLabel } from '../../lib/rules-values'
import { CodeEditor } from '../../ui/code-editor'
import { coverageMarks, decidingLines } from '../rules/coverage-view'

const TONES = { allow: 'good', deny: 'bad', error: 'bad', admin: '' } as const

/** A decision of the rules: the statements, and the value of every evaluated expression. */
export default function DecisionView({ source, decision }: { source: string; decision: Decision }) {
  const { t, number } = useText()
  const marks = useMemo(() => [coverageMarks(source, decision.expressions), decidingLines(source, decision.statements)], [source, decision])
  const { cost } = decision
  const [chosen, setChosen] = useState<number | null>(null)
  return (
    <div className="stack">
      <p className="row" role="status">
        <span className={`tag ${TONES[decision.outcome]}`}>{decision.outcome}</span>
        <span className="wrap" lang="en">
          {decision.denial}
        </span>
      </p>
      {cost && (
        <p className="soft small">
          {t.requests.cost(number(cost.evaluations), number(cost.lookups), `${number(cost.microseconds / 1000)} ms`)}
        </p>
      )}
      {decision.statements.length > 0 && (
        <ul className="list">
          {decision.statements.map((statement, i) => (
            <li key={i}>
              <span className={`tag ${TONES[statement.outcome]}`}>{statement.outcome}</span>
              <button type="button" className="link" onClick={() => setChosen(statement.line)}>
                {t.requests.line(statement.line)}
              </button>
              <span className="wrap soft" lang="en">
                {statement.failure}
              </span>
            </li>
          ))}
        </ul>
      )}
      {source && (
        <div className="some">
          <CodeEditor
            text={source}
            language={rulesLanguage}
            label={t.pages.rules}
            readOnly
            extra={marks}
            line={chosen ?? decision.statements[0]?.line}
          />
        </div>
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
      {decision.expressions.length > 0 && (
        <section className="stack" aria-label={t.requests.values}>
          <h3>{t.requests.values}</h3>
          <Values expressions={decision.expressions} at={byteIndex(source)} source={source} />
        </section>
      )}
    </div>
  )
}

function Values({ expressions, at, source }: { expressions: readonly Expression[]; at: (byte: number) => number; source: string }) {
  return (
    <ul className="values">
      {expressions.map((expression) => (
        <li key={`${expression.start} ${expression.end}`}>
          <span className="mono wrap">{source.slice(at(expression.start), at(expression.end)).replaceAll(/\s+/g, ' ')}</span>
          <span className="mono wrap soft">{expression.values.map(({ value }) => valueLabel(value)).join(', ') || '—'}</span>
          {expression.children.length > 0 && <Values expressions={expression.children} at={at} source={source} />}
        </li>
      ))}
    </ul>
  )
}
