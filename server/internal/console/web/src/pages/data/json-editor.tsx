import { json } from '@codemirror/lang-json'
import type { Diagnostic } from '@codemirror/lint'
import { useMemo, useRef, useState } from 'react'
import { useText } from '../../i18n/text'
import { formatDocument, JsonProblem, parseDocument, placeOf } from '../../lib/json-document'
import type { Fields } from '../../lib/value'
import { CodeEditor } from '../../ui/code-editor'

type Props = {
  /** The prefix of references. */
  root: string
  fields: Fields
  /** A text that was kept because it is not valid. */
  invalid: string | null
  readOnly: boolean
  change: (fields: Fields) => void
  bad: (text: string) => void
}

/** Parses a document, or returns why it is none. */
function parsed(text: string, root: string): Fields | JsonProblem {
  try {
    return parseDocument(text, root)
  } catch (error) {
    if (error instanceof JsonProblem) return error
    throw error
  }
}

/** A document as JSON, with errors at their position. If the fields are changed elsewhere, the text changes too. */
export default function JsonEditor({ root, fields, invalid, readOnly, change, bad }: Props) {
  const { t } = useText()
  /** The fields that the text stands for; those before it if it is not valid. */
  const shown = useRef(fields)
  const [text, setText] = useState(() => invalid ?? formatDocument(fields, root))
  const language = useMemo(() => json(), [])
  if (shown.current !== fields) {
    shown.current = fields
    setText(formatDocument(fields, root))
  }
  const check = (now: string): Diagnostic[] => {
    setText(now)
    const result = parsed(now, root)
    if (result instanceof JsonProblem) {
      bad(now)
      const from = Math.min(result.at, now.length)
      return [{ from, to: Math.min(from + 1, now.length), severity: 'error', message: result.message }]
    }
    shown.current = result
    change(result)
    return []
  }
  const result = useMemo(() => (invalid === null ? null : parsed(invalid, root)), [invalid, root])
  const place = result instanceof JsonProblem && invalid !== null ? placeOf(invalid, result.at) : null
  return (
    <>
      <CodeEditor text={text} language={language} label={t.data.json} readOnly={readOnly} checkNow={check} />
      <p className={place ? 'bad small' : 'hidden-label'} role="status">
        {place && result instanceof JsonProblem && `${t.data.lineColumn(place.line, place.column)}: ${result.message}`}
      </p>
    </>
  )
}
