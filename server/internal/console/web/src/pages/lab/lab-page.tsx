import { useState } from 'react'
import { startDatabaseExport } from '../../api/exports'
import { clearLab, deleteSnapshot, makeSnapshot, restoreSnapshot } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useLab } from '../../lab'
import { useAction } from '../../lib/use-action'
import { useFileExport } from '../../lib/use-file-export'
import { useScope, useSession } from '../../session'
import type { Scope } from '../../lib/scope'
import { Dialog } from '../../ui/dialog'
import { ExportProgress } from '../../ui/export-progress'
import { Loaded, Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'
import { ClockSection } from './clock-section'
import { FaultsSection } from './faults-section'
import { loadSeed } from './seed'

type Asked = { title: string; text: string; act: () => Promise<void> } | null

/** Snapshots, seeds, the clock, faults and clearing, for development. */
export default function LabPage() {
  const { t, time } = useText()
  const scope = useScope()
  const { write } = useSession()
  const { project } = scope
  const [name, setName] = useState('')
  const [asked, setAsked] = useState<Asked>(null)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const { state, reload } = useLab()
  const act = (work: () => Promise<void>, said: string) =>
    void run(async () => {
      await work()
      toast(said)
      reload()
    })
  const clear = (what: 'documents' | 'accounts') =>
    setAsked({ title: t.lab.clears[what], text: t.lab.clearText(project), act: () => clearLab(scope, what) })
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.lab}</h1>
      </div>
      {error !== null && <Problem error={error} />}
      <div className="lab">
        <section className="stack" aria-label={t.lab.snapshots}>
          <h2>{t.lab.snapshots}</h2>
          {write && (
            <form
              className="row"
              onSubmit={(event) => {
                event.preventDefault()
                act(() => makeSnapshot(project, name), t.lab.made)
                setName('')
              }}
            >
              <input
                className="search"
                value={name}
                required
                aria-label={t.lab.name}
                placeholder={t.lab.name}
                onChange={(event) => setName(event.target.value)}
              />
              <button type="submit" className="button primary" disabled={busy}>
                {t.lab.make}
              </button>
            </form>
          )}
          <Loaded state={state} reload={reload}>
            {({ snapshots }) =>
              snapshots.length === 0 ? (
                <p className="soft">{t.lab.none}</p>
              ) : (
                <ul className="list">
                  {snapshots.map((one) => (
                    <li key={one.id}>
                      <strong className="wrap">{one.name}</strong>
                      <span className="soft">{time(one.time)}</span>
                      <span className="row push">
                        <button
                          type="button"
                          className="button"
                          disabled={busy || !write}
                          onClick={() =>
                            setAsked({
                              title: t.lab.restore(one.name),
                              text: t.lab.restoreText(project),
                              act: () => restoreSnapshot(project, one.id),
                            })
                          }
                        >
                          {t.lab.restoreButton}
                        </button>
                        <button
                          type="button"
                          className="button"
                          disabled={busy || !write}
                          onClick={() => act(() => deleteSnapshot(one.id), t.lab.gone)}
                        >
                          {t.common.delete}
                        </button>
                      </span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </section>
        <Seeds scope={scope} write={write} />
        {state.status === 'ready' && (
          <>
            <ClockSection clock={state.data.clock} write={write} changed={reload} />
            <FaultsSection faults={state.data.faults} write={write} changed={reload} />
          </>
        )}
        {write && (
          <section className="stack risky" aria-label={t.lab.clear}>
            <h2>{t.lab.clear}</h2>
            <div className="row">
              <button type="button" className="button danger" disabled={busy} onClick={() => clear('documents')}>
                {t.lab.clears.documents}
              </button>
              <button type="button" className="button danger" disabled={busy} onClick={() => clear('accounts')}>
                {t.lab.clears.accounts}
              </button>
            </div>
          </section>
        )}
      </div>
      {asked && (
        <Dialog
          title={asked.title}
          close={() => setAsked(null)}
          submit={() => {
            setAsked(null)
            act(asked.act, t.lab.done)
          }}
        >
          <p>{asked.text}</p>
          <div className="dialog-foot">
            <button type="button" className="button" onClick={() => setAsked(null)}>
              {t.common.cancel}
            </button>
            <button type="submit" className="button danger">
              {asked.title}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

/** Saves the documents of a database to a file, and loads them from one. */
function Seeds({ scope, write }: { scope: Scope; write: boolean }) {
  const { t } = useText()
  const [note, setNote] = useState('')
  const { busy, error, run } = useAction()
  const toast = useToast()
  const saving = useFileExport({ written: t.data.exporting, done: t.data.exported })
  const load = async (file: File) => {
    const total = await loadSeed(scope, await file.text(), t.lab.badPath, (done, all) => setNote(t.data.importing(done, all)))
    setNote('')
    toast(t.data.imported(total))
  }
  return (
    <section className="stack" aria-label={t.lab.seeds}>
      <h2>{t.lab.seeds}</h2>
      <p className="soft">{t.lab.seedsHint}</p>
      {error !== null && <Problem error={error} />}
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => saving.start(() => startDatabaseExport(scope, `${scope.project}.seed.json`))}
        >
          {t.lab.saveSeed}
        </button>
        {write && (
          <label className="button">
            {t.lab.loadSeed}
            <input
              type="file"
              className="hidden-label"
              accept=".json,application/json"
              disabled={busy}
              onChange={(event) => {
                const file = event.target.files?.[0]
                if (file) void run(() => load(file))
                event.target.value = ''
              }}
            />
          </label>
        )}
        <ExportProgress note={saving.note} cancel={saving.cancel} />
        {note && <span role="status">{note}</span>}
      </div>
    </section>
  )
}
