import { useEffect, useRef, useState } from 'react'
import { exportPath, type Format, loadExport, startExport, stopExport } from '../../api/exports'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { writeCsv } from '../../lib/csv'
import { download, follow } from '../../lib/download'
import { writeJson } from '../../lib/json-file'
import { errorText } from '../../ui/states'
import { useToast } from '../../ui/toasts'
import { type Place, sourceOf } from './use-rows'

const EVERY_MS = 400

/** Exports documents to a file. The server writes all documents of a collection or query; the page writes selected ones. */
export function useExport(place: Place) {
  const { t, number } = useText()
  const [running, setRunning] = useState<{ token: string; note: string } | null>(null)
  const stopped = useRef(new Set<string>())
  const gone = useRef(false)
  const toast = useToast()
  useEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])
  const nameOf = (format: Format) => `${place.collection.replaceAll('/', '-')}.${format}`
  const save = (format: Format, docs: Doc[]) => {
    const named = docs.map((doc) => ({ id: place.group ? doc.path : doc.id, fields: doc.fields }))
    if (format === 'json') download(nameOf(format), 'application/json', writeJson(named))
    else download(nameOf(format), 'text/csv', writeCsv(named))
  }
  const run = async (format: Format) => {
    const source = sourceOf(place)
    const token = await startExport(place.scope, { query: place.query, source, format, name: nameOf(format) })
    follow(exportPath(token))
    // The browser continues when the table is closed. The progress is no longer shown.
    while (!gone.current) {
      const progress = await loadExport(token)
      if (stopped.current.has(token)) return
      if (progress.state === 'failed') throw new Error(progress.error?.message)
      if (progress.state === 'done') return toast(t.data.exported(number(progress.documents)))
      const reading = progress.documents === 0 && progress.columns > 0
      const note = reading ? t.data.readingColumns(number(progress.columns)) : t.data.exporting(number(progress.documents))
      setRunning({ token, note })
      await new Promise((done) => setTimeout(done, EVERY_MS))
    }
  }
  const start = (format: Format) => {
    run(format)
      .catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
      .finally(() => setRunning(null))
  }
  const cancel = () => {
    if (!running) return
    stopped.current.add(running.token)
    setRunning(null)
    stopExport(running.token).catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
  }
  return { note: running?.note ?? '', start, save, cancel }
}
