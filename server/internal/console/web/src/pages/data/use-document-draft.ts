import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { commit, type Doc, getDocument } from '../../api/firestore'
import { Outdated, saveFields } from '../../api/save'
import { ApiError } from '../../api/http'
import { useText } from '../../i18n/text'
import { applied, type FieldPath, type ValuePath } from '../../lib/changes'
import {
  changesIn,
  conflictsIn,
  decided,
  type Draft,
  edited,
  isUnfinished,
  readDraft,
  received,
  saved,
  typed,
  unchanged,
  writeDraft,
  writtenAsJson,
} from '../../lib/draft'
import { keptDraft } from '../../lib/drafts'
import { pagePath, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import type { Load } from '../../lib/use-load'
import type { Fields, Value } from '../../lib/value'
import { useToast } from '../../ui/toasts'

/**
 * The draft of a document; null while the document is loading or if there is neither a document nor a draft. Changes by
 * other clients are merged into it. It is kept when the page is left.
 */
export function useDocumentDraft(scope: Scope, path: string, loaded: Load<Doc | null>, changed: () => void) {
  const { t } = useText()
  const address = pagePath('data', scope, path)
  const [draft, setDraft] = useState(() => readDraft(keptDraft(address)))
  const { busy, error, run, clear } = useAction()
  const toast = useToast()
  const held = useRef(draft)
  const update = useCallback((next: (now: Draft | null) => Draft | null) => {
    held.current = next(held.current)
    setDraft(held.current)
  }, [])
  const change = useCallback((next: (now: Draft) => Draft) => update((now) => now && next(now)), [update])
  useLayoutEffect(() => {
    if (loaded.status === 'ready') update((now) => received(now, loaded.data))
  }, [loaded, update])
  useDocumentChanges(scope, path, async () => {
    const now = await getDocument(scope, path)
    update((draft) => received(draft, now))
  })
  const changes = useMemo(() => (draft ? changesIn(draft).length : 0), [draft])
  const write = useMemo(() => (draft && (changes > 0 || isUnfinished(draft)) ? () => writeDraft(draft) : null), [draft, changes])
  useKept(address, write)

  /** Runs a change of the document. If another client has changed the same values, their conflicts are shown. */
  const saving = (work: () => Promise<void>) =>
    void run(async () => {
      try {
        await work()
        changed()
      } catch (failure) {
        if (!(failure instanceof Outdated)) throw failure
        update((now) => received(now, failure.doc))
      }
    })
  const save = () =>
    saving(async () => {
      const sent = held.current
      if (!sent || conflictsIn(sent).length > 0) return
      const doc = await saveFields(scope, sent.base, sent.fields)
      change((now) => saved(now, sent.fields, doc))
      toast(t.data.updated, { action: { label: t.common.undo, act: () => saving(() => undo(doc, sent)) } })
    })
  /** Gives the values that a save has changed their former values. */
  const undo = async (doc: Doc, sent: Draft) => {
    const former = changesIn(sent).map(({ path: at, from, to }) => ({ path: at, from: to, to: from }))
    try {
      const back = await saveFields(scope, doc, applied(doc.fields, former))
      update((now) => received(now, back))
    } catch (failure) {
      throw failure instanceof Outdated ? new Error(t.data.undoConflict) : failure
    }
  }
  const createAgain = () =>
    saving(async () => {
      const sent = held.current
      if (!sent) return
      try {
        await commit(scope, [{ kind: 'set', path, fields: sent.fields, exists: false }])
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 409) throw new Outdated(await getDocument(scope, path))
        throw failure
      }
      const doc = await getDocument(scope, path)
      change((now) => (doc ? saved({ ...now, gone: false }, sent.fields, doc) : now))
    })
  return {
    draft,
    address,
    dirty: write !== null,
    changes,
    busy,
    error,
    clearError: clear,
    save,
    createAgain,
    edit: useCallback((at: ValuePath, to: Value | undefined) => change((now) => edited(now, at, to)), [change]),
    typed: useCallback((at: ValuePath, text: string) => change((now) => typed(now, at, text)), [change]),
    writeJson: useCallback((fields: Fields) => change((now) => writtenAsJson(now, fields)), [change]),
    badJson: useCallback((text: string) => change((now) => ({ ...now, json: text })), [change]),
    decide: (at: FieldPath, whose: 'mine' | 'theirs') => change((now) => decided(now, at, whose)),
    discard: () => update((now) => now && (now.gone ? null : unchanged(now.newer ?? now.base, now.version + 1))),
  }
}

export type DocumentDraft = ReturnType<typeof useDocumentDraft>

/** Calls changed when the server reports a change of a document. */
function useDocumentChanges(scope: Scope, path: string, changed: () => Promise<void>): void {
  const latest = useRef(changed)
  latest.current = changed
  const { project, database } = scope
  useEffect(() => {
    let stop = () => {}
    let ended = false
    import('../../api/live').then(
      ({ watchDocument }) => {
        // The table shows a lost connection. The document can still be refreshed.
        if (!ended) stop = watchDocument({ project, database }, path, () => void latest.current().catch(() => {}))
      },
      () => {},
    )
    return () => {
      ended = true
      stop()
    }
  }, [project, database, path])
}
