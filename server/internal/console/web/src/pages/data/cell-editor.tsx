import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { type Doc, getDocument } from '../../api/firestore'
import { Outdated, saveFields } from '../../api/save'
import { useText } from '../../i18n/text'
import { withValue } from '../../lib/changes'
import { edited, typed, unchanged, writeDraft } from '../../lib/draft'
import { dropDraft, keptDraft } from '../../lib/drafts'
import { parseInput } from '../../lib/parse-input'
import { documentsRoot, pagePath, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { fieldOf, type Value } from '../../lib/value'
import { doubleText, referenceText, valueText } from '../../lib/value-text'
import { errorText } from '../../ui/states'
import { useToast } from '../../ui/toasts'

/** A field that is edited in the table, with the whole document, because rows are shortened. */
export type Cell = { base: Doc; name: string; value: Value }

/** The longest text that is edited in the table. */
const MAX_LETTERS = 500

/** Reports whether a value fits on a line. Others are edited beside the table. */
function fitsLine(value: Value): boolean {
  if (value.type === 'string') return value.value.length <= MAX_LETTERS && !/[\r\n]/.test(value.value)
  return ['integer', 'double', 'boolean', 'timestamp', 'reference'].includes(value.type)
}

/**
 * Loads the document of a cell. It is null if the field is edited beside the table: because it has several lines or parts, or because
 * there is a draft of the document.
 */
export async function loadCell(scope: Scope, path: string, name: string): Promise<Cell | null> {
  if (keptDraft(pagePath('data', scope, path)) !== null) return null
  const base = await getDocument(scope, path)
  const value = base && fieldOf(base.fields, name)
  return base && value && fitsLine(value) ? { base, name, value } : null
}

function textOf(value: Value, root: string): string {
  if (value.type === 'double') return doubleText(value.value)
  return value.type === 'reference' ? referenceText(value.value, root) : valueText(value)
}

type Props = {
  scope: Scope
  cell: Cell
  /** Ends the editing. saved is set if the document was changed. */
  end: (saved: boolean) => void
  open: (path: string) => void
}

/**
 * The editor of one value in the table, which keeps its type. Enter and the end of the focus save it, Escape discards it. A text
 * that is no value of the type stays in the editor, and becomes a draft of the document when the page is left.
 */
export function CellEditor({ scope, cell: { base: loaded, name, value }, end, open }: Props) {
  const { t } = useText()
  const root = `${documentsRoot(scope)}/`
  const [base, setBase] = useState(loaded)
  const [initial] = useState(() => textOf(value, root))
  const [text, setText] = useState(initial)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const next = parseInput(value.type, text, root)
  const changed = text !== initial
  const address = pagePath('data', scope, base.path)
  useKept(
    address,
    useMemo(() => {
      const draft = unchanged(base)
      return changed ? () => writeDraft(next ? edited(draft, [name], next) : typed(draft, [name], text)) : null
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- next is parsed from text
    }, [base, changed, name, text]),
  )
  useEffect(() => {
    input.current?.focus({ preventScroll: true })
    if (input.current instanceof HTMLInputElement) input.current.select()
  }, [])
  const leave = (saved: boolean) => {
    dropDraft(address)
    end(saved)
  }
  const undo = async (doc: Doc) => {
    await saveFields(scope, doc, withValue(doc.fields, [name], value))
  }
  const save = async () => {
    if (!next) return
    try {
      const doc = await saveFields(scope, base, withValue(base.fields, [name], next))
      leave(true)
      toast(t.data.updated, { action: { label: t.common.undo, act: () => void undo(doc).catch(() => toast(t.data.undoConflict)) } })
    } catch (failure) {
      if (!(failure instanceof Outdated)) throw failure
      // A deleted document is created again beside the table, from the draft that is kept here.
      if (failure.doc === null) return open(base.path)
      setBase(failure.doc)
      const theirs = fieldOf(failure.doc.fields, name)
      throw new Error(t.data.cellChanged(theirs ? valueText(theirs).slice(0, MAX_LETTERS) : t.data.noValue), { cause: failure })
    }
  }
  const finish = () => {
    if (!changed) leave(false)
    else if (next && !busy) void run(save)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') finish()
    else if (event.key === 'Escape') leave(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const bind = {
    ref: input,
    className: 'mono',
    'aria-label': t.data.valueOf(name),
    'aria-invalid': next === null,
    value: text,
    onKeyDown,
    // After a failure only Enter and Escape end the editing, so that nothing is written over unseen.
    onBlur: () => error === null && finish(),
  }
  const problem = error !== null ? errorText(error, t.common.unavailable) : next === null && text !== '' ? t.data.badValue : ''
  return (
    <>
      {value.type === 'boolean' ? (
        <select {...bind} onChange={(event) => setText(event.target.value)}>
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input {...bind} onChange={(event) => setText(event.target.value)} />
      )}
      {problem !== '' && (
        <span className="cell-problem bad small" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}
