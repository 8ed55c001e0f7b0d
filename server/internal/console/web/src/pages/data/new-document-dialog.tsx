import { useState } from 'react'
import { ApiError } from '../../api/http'
import { commit } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { goodId, newId } from '../../lib/ids'
import type { Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import type { Fields } from '../../lib/value'
import { Dialog } from '../../ui/dialog'
import { Problem } from '../../ui/states'

type Props = {
  scope: Scope
  /** The parent document of the collection; '' for the database. */
  parent: string
  /** The collection's path; null if the user enters a new collection. */
  collection: string | null
  /** The initial fields, for a copy. */
  fields?: Fields
  /** The proposed id; empty for a generated one. */
  id?: string
  title?: string
  hint?: string
  close: () => void
  done: (path: string) => void
}

/** Creates a document. */
export function NewDocumentDialog({ scope, parent, collection, fields = {}, id: proposed = '', title, hint, close, done }: Props) {
  const { t } = useText()
  const [name, setName] = useState('')
  const [id, setId] = useState(proposed)
  const { busy, error, run } = useAction()
  const badName = collection === null && name !== '' && !goodId(name)
  const badId = id !== '' && !goodId(id)
  const submit = () =>
    void run(async () => {
      if (badName || badId || (collection === null && name === '')) return
      const base = collection ?? (parent ? `${parent}/${name}` : name)
      const path = `${base}/${id || newId()}`
      await commit(scope, [{ kind: 'set', path, fields, exists: false }])
      close()
      done(path)
    })
  const taken = error instanceof ApiError && (error.status === 'ALREADY_EXISTS' || error.code === 409)
  return (
    <Dialog title={title ?? (collection === null ? t.data.startCollection : t.data.newDocument)} close={close} submit={submit}>
      {hint && <p className="soft">{hint}</p>}
      {collection === null && (
        <label className="field">
          <span>{t.data.collectionId}</span>
          <input
            className="mono"
            value={name}
            required
            data-first
            aria-invalid={badName}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
      )}
      <label className="field">
        <span>{t.data.documentId}</span>
        <input
          className="mono"
          value={id}
          data-first={collection !== null || undefined}
          aria-invalid={badId}
          onChange={(event) => setId(event.target.value)}
        />
        {!proposed && <span>{t.data.idHint}</span>}
      </label>
      {(badName || badId) && (
        <p className="bad" role="alert">
          {t.data.badId}
        </p>
      )}
      {taken ? (
        <p className="bad" role="alert">
          {t.data.idTaken}
        </p>
      ) : (
        error !== null && <Problem error={error} />
      )}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.cancel}
        </button>
        <button type="submit" className="button primary" disabled={busy || badName || badId}>
          {t.common.save}
        </button>
      </div>
    </Dialog>
  )
}
