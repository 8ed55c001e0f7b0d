import { useEffect, useRef, useState } from 'react'
import { exportPath, loadExport, stopExport } from '../api/exports'
import { useText } from '../i18n/text'
import { errorText } from '../ui/states'
import { useToast } from '../ui/toasts'
import { follow } from './download'

const EVERY_MS = 400

/** The texts of an export's progress, for a formatted number. */
export type ExportTexts = { written: (n: string) => string; done: (n: string) => string }

/** Exports that the server writes to files of the browser, with their progress. */
export function useFileExport(texts: ExportTexts) {
  const { t, number } = useText()
  const [running, setRunning] = useState<{ token: string; note: string } | null>(null)
  const stopped = useRef(new Set<string>())
  const unmounted = useRef(false)
  const toast = useToast()
  useEffect(() => {
    unmounted.current = false
    return () => {
      unmounted.current = true
    }
  }, [])
  const run = async (prepare: () => Promise<string>) => {
    const token = await prepare()
    follow(exportPath(token))
    // The browser continues when the page is left; the progress is not shown any more.
    while (!unmounted.current) {
      const progress = await loadExport(token)
      if (stopped.current.has(token)) return
      if (progress.state === 'failed') throw new Error(progress.error?.message)
      if (progress.state === 'done') return toast(texts.done(number(progress.written)))
      const reading = progress.written === 0 && progress.columns > 0
      const note = reading ? t.data.readingColumns(number(progress.columns)) : texts.written(number(progress.written))
      setRunning({ token, note })
      await new Promise((done) => setTimeout(done, EVERY_MS))
    }
  }
  /** Starts an export; prepare returns its token. */
  const start = (prepare: () => Promise<string>) => {
    run(prepare)
      .catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
      .finally(() => setRunning(null))
  }
  const cancel = () => {
    if (!running) return
    stopped.current.add(running.token)
    setRunning(null)
    stopExport(running.token).catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
  }
  return { note: running?.note ?? '', start, cancel }
}
