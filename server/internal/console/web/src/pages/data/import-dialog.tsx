import { commit } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { readCsv } from '../../lib/csv'
import { goodId, newId } from '../../lib/ids'
import { JsonProblem, placeOf } from '../../lib/json-document'
import { readJson } from '../../lib/json-file'
import { documentsRoot, type Scope } from '../../lib/scope'
import { FileDialog } from '../../ui/file-dialog'
import { useToast } from '../../ui/toasts'

const BATCH = 200

/** Writes the documents of a file into a collection, in batches. */
export function ImportDialog({
  scope,
  collection,
  close,
  done,
}: {
  scope: Scope
  collection: string
  close: () => void
  done: () => void
}) {
  const { t } = useText()
  const toast = useToast()
  const load = async (file: File, report: (done: number, total: number) => void) => {
    const docs = read(file.name, await file.text(), `${documentsRoot(scope)}/`, (line, column) => t.data.lineColumn(line, column))
    const bad = docs.find((doc) => doc.id !== '' && !goodId(doc.id))
    if (bad) throw new Error(`${bad.id}: ${t.data.badId}`)
    for (let i = 0; i < docs.length; i += BATCH) {
      report(i, docs.length)
      const batch = docs.slice(i, i + BATCH)
      await commit(
        scope,
        batch.map(({ id, fields }) => ({ kind: 'set' as const, path: `${collection}/${id || newId()}`, fields })),
      )
    }
    toast(t.data.imported(docs.length))
    close()
    done()
  }
  return (
    <FileDialog
      title={t.data.importTitle(collection)}
      hint={t.data.importHint}
      accept=".json,.csv,application/json,text/csv"
      load={load}
      close={close}
    />
  )
}

/** Parses a file according to its name. Errors contain the line. */
function read(name: string, text: string, root: string, place: (line: number, column: number) => string) {
  if (name.toLowerCase().endsWith('.csv')) return readCsv(text, root)
  try {
    return readJson(text, root)
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    const { line, column } = placeOf(text, error.at)
    throw new Error(`${place(line, column)}: ${error.message}`)
  }
}
