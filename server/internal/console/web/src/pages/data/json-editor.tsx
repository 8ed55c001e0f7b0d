import { json } from '@codemirror/lang-json'
import type { Diagnostic } from '@codemirror/lint'
import { useMemo, useState } from 'react'
import { useText } from '../../i18n/text'
import { formatDocument, JsonProblem, parseDocument, placeOf } from '../../lib/json-document'
import { documentsRoot, type Scope } from '../../lib/scope'
import type { Fields } from '../../lib/value'
import { CodeEditor } from '../../ui/code-editor'

type Props = { scope: Scope; fields: Fields; readOnly: boolean; change: (fields: Fields) => void; bad: (bad: boolean) => void }

/** A document as JSON, with errors at their position. */
export default function JsonEditor({ scope, fields, readOnly, change, bad }: Props) {
  const { t } = useText()
  const root = `${documentsRoot(scope)}/`
  const [first] = useState(() => formatDocument(fields, root))
  const [problem, setProblem] = useState('')
  const language = useMemo(() => json(), [])
  const check = (text: string): Diagnostic[] => {
    try {
      change(parseDocument(text, root))
      setProblem('')
      bad(false)
      return []
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error
      const { line, column } = placeOf(text, error.at)
      setProblem(`${t.data.lineColumn(line, column)}: ${error.message}`)
      bad(true)
      const from = Math.min(error.at, text.length)
      return [{ from, to: Math.min(from + 1, text.length), severity: 'error', message: error.message }]
    }
  }
  return (
    <>
      <CodeEditor text={first} language={language} label={t.data.json} readOnly={readOnly} checkNow={check} />
      <p className={problem ? 'bad small' : 'hidden-label'} role="status">
        {problem}
      </p>
    </>
  )
}
