import { useState } from 'react'
import { commit } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { readCsv } from '../../lib/csv'
import { goodId, newId } from '../../lib/ids'
import { JsonProblem, placeOf } from '../../lib/json-document'
import { readJson } from '../../lib/json-file'
import { documentsRoot, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { Dialog } from '../../ui/dialog'
import { Problem } from '../../ui/states'
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
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const submit = () =>
    void run(async () => {
      if (!file) return
      const text = await file.text()
      const docs = read(file.name, text, `${documentsRoot(scope)}/`, (line, column) => t.data.lineColumn(line, column))
      const bad = docs.find((doc) => doc.id !== '' && !goodId(doc.id))
      if (bad) throw new Error(`${bad.id}: ${t.data.badId}`)
      for (let i = 0; i < docs.length; i += BATCH) {
        setProgress({ done: i, total: docs.length })
        const batch = docs.slice(i, i + BATCH)
        await commit(
          scope,
          batch.map(({ id, fields }) => ({ kind: 'set' as const, path: `${collection}/${id || newId()}`, fields })),
        )
      }
      toast(t.data.imported(docs.length))
      close()
      done()
    })
  return (
    <Dialog title={t.data.importTitle(collection)} close={close} submit={submit}>
      <p className="soft">{t.data.importHint}</p>
      <label className="field">
        <span>{t.data.importFile}</span>
        <input
          type="file"
          accept=".json,.csv,application/json,text/csv"
          required
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
      </label>
      {progress && busy && (
        <div role="status">
          <progress max={progress.total} value={progress.done} aria-label={t.data.import} />
          {t.data.importing(progress.done, progress.total)}
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.cancel}
        </button>
        <button type="submit" className="button primary" disabled={busy || !file}>
          {t.data.import}
        </button>
      </div>
    </Dialog>
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
