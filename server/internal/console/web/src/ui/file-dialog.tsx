import { type ReactNode, useState } from 'react'
import { useText } from '../i18n/text'
import { useAction } from '../lib/use-action'
import { Dialog } from './dialog'
import { Problem } from './states'

type Props = {
  title: string
  hint: string
  /** The types of files, as the attribute of an input. */
  accept: string
  /** Imports a file, and reports how many of its items are imported. */
  load: (file: File, report: (done: number, total: number) => void) => Promise<void>
  close: () => void
  children?: ReactNode
}

/** A dialog that imports a file, with the progress. */
export function FileDialog({ title, hint, accept, load, close, children }: Props) {
  const { t } = useText()
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const { busy, error, run } = useAction()
  const submit = () =>
    void run(async () => {
      setProgress(null)
      if (file) await load(file, (done, total) => setProgress({ done, total }))
    })
  return (
    <Dialog title={title} close={close} submit={submit}>
      <p className="soft">{hint}</p>
      <label className="field">
        <span>{t.data.importFile}</span>
        <input type="file" accept={accept} required onChange={(event) => setFile(event.target.files?.[0] ?? null)} />
      </label>
      {progress && busy && (
        <div role="status">
          <progress max={progress.total} value={progress.done} aria-label={t.data.import} />
          {t.data.importing(progress.done, progress.total)}
        </div>
      )}
      {children}
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.close}
        </button>
        <button type="submit" className="button primary" disabled={busy || !file}>
          {t.data.import}
        </button>
      </div>
    </Dialog>
  )
}
