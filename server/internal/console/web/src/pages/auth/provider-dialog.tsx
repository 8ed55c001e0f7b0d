import { useMemo, useState } from 'react'
import { addProvider, changeProvider, type Provider, removeProvider } from '../../api/providers'
import type { Directory } from '../../api/users'
import { useText } from '../../i18n/text'
import { keptDraft } from '../../lib/drafts'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { Dialog } from '../../ui/dialog'
import { Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'
import { NEW, providerAddress } from './address'
import { ProviderFields } from './provider-fields'
import { RedirectUris } from './redirect-uris'
import { changeOf, idOf, NO_SECRETS, readEdits, type Values, valuesOf } from './provider-values'

type Props = { of: Directory; provider: Provider | null; close: () => void; changed: () => void }

/** The form of an identity provider, or of a new one. What is typed is kept as a draft, without the secrets. */
export function ProviderDialog({ of, provider, close, changed }: Props) {
  const { t } = useText()
  const address = providerAddress(of, provider?.id ?? NEW)
  const [edits, setEdits] = useState<Partial<Values>>(() => readEdits(keptDraft(address)))
  const [secrets, setSecrets] = useState(NO_SECRETS)
  const [sure, setSure] = useState(false)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const before = valuesOf(provider)
  const values = { ...before, ...edits }
  const change = changeOf(before, values, secrets)
  const unsaved = Object.keys(change).length > 0
  const text = Object.entries(edits).some(([name, value]) => value !== before[name as keyof Values]) ? JSON.stringify(edits) : null
  useKept(
    address,
    useMemo(() => (text === null ? null : () => text), [text]),
  )
  const done = (said: string) => {
    toast(said)
    setEdits({})
    setSecrets(NO_SECRETS)
    changed()
    close()
  }
  const save = async () => {
    if (provider) await changeProvider(of, provider.id, change)
    else await addProvider(of, idOf(values), { ...change, enabled: values.enabled })
    done(t.users.saved)
  }
  const remove = async () => {
    if (!provider) return
    await removeProvider(of, provider.id)
    done(t.auth.removed(provider.id))
  }
  return (
    <Dialog title={provider?.id ?? t.auth.newProvider} close={close} submit={() => void run(save)}>
      <ProviderFields
        values={values}
        secrets={secrets}
        added={provider !== null}
        ownCertificates={provider?.ownCertificates ?? []}
        set={(more) => setEdits({ ...edits, ...more })}
        setSecrets={setSecrets}
      />
      <RedirectUris kind={values.kind} />
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        {provider && (
          <button type="button" className="button danger" disabled={busy} onClick={() => (sure ? void run(remove) : setSure(true))}>
            {sure ? t.auth.removeSure : t.auth.remove}
          </button>
        )}
        {(unsaved || text !== null) && (
          <button
            type="button"
            className="button"
            onClick={() => {
              setEdits({})
              setSecrets(NO_SECRETS)
            }}
          >
            {t.data.discard}
          </button>
        )}
        <button type="submit" className="button primary" disabled={busy || !unsaved}>
          {t.common.save}
        </button>
      </div>
    </Dialog>
  )
}
