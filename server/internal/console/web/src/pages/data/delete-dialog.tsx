import { useState } from 'react'
import { countDelete, deleteTrees, undoDelete } from '../../api/collections'
import { useText } from '../../i18n/text'
import type { Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { Dialog } from '../../ui/dialog'
import { errorText, Loaded, Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'

type Props = { scope: Scope; paths: string[]; close: () => void; done: () => void }

/** Deletes documents or a collection with everything below: counted first, with progress, and with undo for a minute. */
export function DeleteDialog({ scope, paths, close, done }: Props) {
  const { t } = useText()
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const { state, reload } = useLoad(paths.join('\n'), (signal) => countDelete(scope, paths, signal))
  const undo = useUndo(scope, done)
  const submit = () =>
    void run(async () => {
      if (state.status !== 'ready') return
      for await (const line of deleteTrees(scope, paths)) {
        setProgress({ done: line.deleted, total: state.data.documents })
        const token = line.undo
        if (token && line.deleted > 0) toast(t.data.deleted(line.deleted), { action: { label: t.common.undo, act: () => undo(token) } })
      }
      close()
      done()
    })
  const title = paths.length === 1 ? t.data.deleteAsk(paths[0] ?? '') : t.data.deleteAsk(t.data.selected(paths.length))
  return (
    <Dialog title={title} close={close} submit={submit}>
      {state.status === 'loading' && <p className="soft">{t.data.counting}</p>}
      <Loaded state={state} reload={reload} rows={1}>
        {(count) => <p>{t.data.deleteCounts(count.documents, count.collections)}</p>}
      </Loaded>
      {progress && (
        <div role="status">
          <progress max={Math.max(progress.total, 1)} value={progress.done} aria-label={t.common.delete} />
          {t.data.deleting(progress.done, progress.total)}
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.cancel}
        </button>
        <button type="submit" className="button danger" disabled={busy || state.status !== 'ready'}>
          {t.common.delete}
        </button>
      </div>
    </Dialog>
  )
}

function useUndo(scope: Scope, done: () => void) {
  const { t } = useText()
  const toast = useToast()
  return (token: string) => {
    const run = async () => {
      let restored = 0
      let skipped = 0
      for await (const line of undoDelete(scope, token)) {
        restored = line.restored
        if ('done' in line) skipped = line.skipped
      }
      toast(skipped > 0 ? `${t.data.restored(restored)} · ${t.data.skipped(skipped)}` : t.data.restored(restored))
      done()
    }
    run().catch((error: unknown) => toast(errorText(error, t.common.unavailable)))
  }
}
