import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { useMemo } from 'react'
import { type Expression, loadCoverage } from '../../api/rules'
import { useText } from '../../i18n/text'
import { byteIndex } from '../../lib/bytes'
import { rulesLanguage } from '../../lib/rules-language'
import type { Scope } from '../../lib/scope'
import { useLoad } from '../../lib/use-load'
import { valueLabel } from '../../lib/rules-values'
import { CodeEditor } from '../../ui/code-editor'
import { Empty, Loaded } from '../../ui/states'

type Mark = { from: number; to: number; kind: 'true' | 'false' | 'both' | 'never' | 'value'; title: string }

/** The values of expressions as marks in the text. Marks of inner expressions are inside those of outer ones. */
function marksOf(expressions: readonly Expression[], at: (byte: number) => number): Mark[] {
  return expressions.flatMap((expression) => {
    const labels = expression.values.map(({ value }) => valueLabel(value))
    const yes = labels.includes('true')
    const no = labels.includes('false')
    const kind = expression.values.length === 0 ? 'never' : yes && no ? 'both' : yes ? 'true' : no ? 'false' : 'value'
    const title = expression.values.map(({ value, count }) => `${valueLabel(value)} × ${count}`).join(', ')
    const mark: Mark = { from: at(expression.start), to: at(expression.end), kind, title: title || '—' }
    return [...(mark.to > mark.from ? [mark] : []), ...marksOf(expression.children, at)]
  })
}

const THEME = EditorView.baseTheme({
  '.cov-true': { backgroundColor: 'var(--bg-good)' },
  '.cov-false': { backgroundColor: 'var(--bg-bad)' },
  '.cov-both': { backgroundColor: 'var(--bg-warn)' },
  '.cov-never': { textDecoration: 'underline dotted', textUnderlineOffset: '3px' },
})

/** An editor extension that marks the values of expressions. */
export function coverageMarks(source: string, expressions: readonly Expression[]): Extension {
  const marks = marksOf(expressions, byteIndex(source)).toSorted((a, b) => a.from - b.from || b.to - a.to)
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to, kind, title } of marks) builder.add(from, to, Decoration.mark({ class: `cov-${kind}`, attributes: { title } }))
  const set: DecorationSet = builder.finish()
  return [THEME, EditorView.decorations.of(set)]
}

const LINES = EditorView.baseTheme({
  '.decides-allow': { boxShadow: 'inset 3px 0 var(--good)' },
  '.decides-deny, .decides-error': { boxShadow: 'inset 3px 0 var(--bad)' },
})

/** An editor extension that marks the lines of the deciding statements. */
export function decidingLines(source: string, statements: readonly { line: number; outcome: string }[]): Extension {
  const outcomes = new Map(statements.map(({ line, outcome }) => [line, outcome]))
  const builder = new RangeSetBuilder<Decoration>()
  let from = 0
  for (const [i, line] of source.split('\n').entries()) {
    const outcome = outcomes.get(i + 1)
    if (outcome) builder.add(from, from, Decoration.line({ class: `decides-${outcome}` }))
    from += line.length + 1
  }
  return [LINES, EditorView.decorations.of(builder.finish())]
}

/** The rules in force, with the values of each expression and how often it was evaluated. */
export function CoverageView({ scope }: { scope: Scope }) {
  const { t } = useText()
  const { state, reload } = useLoad('coverage', (signal) => loadCoverage(scope, signal))
  return (
    <Loaded state={state} reload={reload} rows={12}>
      {({ source, expressions }) => (source ? <Marked source={source} expressions={expressions} /> : <Empty>{t.rules.open}</Empty>)}
    </Loaded>
  )
}

function Marked({ source, expressions }: { source: string; expressions: Expression[] }) {
  const { t } = useText()
  const marks = useMemo(() => coverageMarks(source, expressions), [source, expressions])
  return (
    <div className="stack">
      <p className="row">
        <span className="tag good">{t.rules.alwaysTrue}</span>
        <span className="tag bad">{t.rules.alwaysFalse}</span>
        <span className="tag warn">{t.rules.both}</span>
        <span className="soft">{t.rules.coverageHint}</span>
      </p>
      <div className="tall">
        <CodeEditor text={source} language={rulesLanguage} label={t.rules.coverage} readOnly extra={marks} />
      </div>
    </div>
  )
}
