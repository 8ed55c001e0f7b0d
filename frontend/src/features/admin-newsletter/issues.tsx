import { useEffect, useState } from 'react'
import * as v from 'valibot'
import { rowsOf } from '../../admin/data/live'
import { useLiveRows, type Watched } from '../../admin/data/use-live-rows'
import { usePanelData } from '../../admin/data/panel-data'
import { Unsaved } from '../../admin/ui/unsaved'
import { Dialog } from '../../components/dialog'
import type { NewsletterStatus } from '../../firebase/newsletter'
import { es } from '../../i18n/es-admin'
import { dateAndTime } from '../../lib/dates'
import { Compose } from './compose'
import { draftOf, dropDraft } from './issue-draft'

const texts = es.newsletter

const count = v.fallback(v.number(), 0)
const issue = v.object({
  id: v.string(),
  subject: v.fallback(v.string(), ''),
  createdAt: v.fallback(v.nullable(v.date()), null),
  state: v.fallback(v.picklist(['sending', 'paused', 'sent']), 'sending'),
  problem: v.fallback(v.string(), ''),
  total: count,
  sent: count,
  failed: count,
  uncertain: count,
})
type SentIssue = v.InferOutput<typeof issue>

/** The latest issues, which the back office writes. */
const LATEST: Watched<SentIssue> = { name: 'Newsletters', order: { field: 'createdAt', direction: 'desc' }, extent: 3, schema: issue }

/** The status of the newsletter; undefined until it is known or if the back office does not answer. */
function useStatus(): NewsletterStatus | undefined {
  const [status, setStatus] = useState<NewsletterStatus>()
  useEffect(() => {
    let stopped = false
    const load = async () => {
      const { newsletterStatus } = await import('../../firebase/newsletter')
      const loaded = await newsletterStatus()
      if (!stopped) setStatus(loaded)
    }
    load().catch((error: unknown) => console.error(error))
    return () => {
      stopped = true
    }
  }, [])
  return status
}

/** The issues of the newsletter: composing one, and the progress of the latest. */
export function Issues() {
  const [open, setOpen] = useState(false)
  const status = useStatus()
  const latest = rowsOf(useLiveRows(LATEST))
  const { uid } = usePanelData().me
  const [leaving, setLeaving] = useState(false)
  const close = () => {
    setOpen(false)
    setLeaving(false)
  }
  // The draft is kept while it is written. Another Escape closes and keeps it.
  const leave = () => {
    if (draftOf(uid) && !leaving) setLeaving(true)
    else close()
  }
  const drop = () => {
    dropDraft(uid)
    close()
  }
  const off = status?.delivery === 'none'
  return (
    <div className="mb-4 grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <button type="button" className="boton boton-primario" disabled={off} onClick={() => setOpen(true)}>
          {texts.open}
        </button>
        {status && !off ? <p className="ayuda">{texts.confirmed(status.confirmed)}</p> : null}
      </div>
      {off ? (
        <p role="status" className="panel-problema">
          {texts.off}
        </p>
      ) : null}
      {status?.delivery === 'terminal' ? <p className="ayuda">{texts.terminal}</p> : null}
      {latest.length > 0 ? (
        <section aria-label={texts.issues} className="panel-capa p-4">
          <ul className="grid gap-3">
            {latest.map((row) => (
              <li key={row.id}>
                <Progress issue={row} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Dialog open={open} onClose={leave} kind="window" title={texts.open}>
        {leaving ? (
          <Unsaved text={texts.unsaved} onStay={() => setLeaving(false)} onLeave={drop} keep={{ label: texts.keep, run: close }} />
        ) : null}
        <Compose onSent={drop} />
      </Dialog>
    </div>
  )
}

/** The reason why an issue is paused, if it is. */
function problemOf(state: SentIssue['state'], problem: string) {
  if (state === 'paused') return texts.paused
  return problem ? texts.problem : ''
}

/** The progress or the result of an issue. */
function Progress({ issue: { subject, createdAt, state, problem, total, sent, failed, uncertain } }: { issue: SentIssue }) {
  const done = sent + failed + uncertain
  const parts = [
    state === 'sent' ? texts.sentTo(sent) : texts.sendingTo(done, total),
    failed > 0 ? texts.failed(failed) : '',
    uncertain > 0 ? texts.uncertain(uncertain) : '',
    problemOf(state, problem),
  ]
  return (
    <>
      <p>
        <strong className="wrap-anywhere">{subject}</strong> · {dateAndTime(createdAt)}
      </p>
      {state !== 'sent' ? <progress className="w-full" aria-label={texts.progress(subject)} value={done} max={Math.max(total, 1)} /> : null}
      <p role="status" className="ayuda">
        {parts.filter(Boolean).join(' ')}
      </p>
    </>
  )
}
