import { useSearchParams } from 'react-router-dom'
import type { Provider } from '../../api/providers'
import type { Directory } from '../../api/users'
import { useText } from '../../i18n/text'
import type { Load } from '../../lib/use-load'
import { useSession } from '../../session'
import { Icon } from '../../ui/icons'
import { Empty, Loaded } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { TenantSelect } from '../../ui/tenant-select'
import { NEW, PROVIDER, TENANT } from './address'
import { ProviderDialog } from './provider-dialog'

/**
 * The identity providers of the project or a tenant, which writing sessions add, change and remove. The address names
 * the tenant and the provider that is edited.
 */
export function ProvidersSection({ of, state, reload }: { of: Directory; state: Load<Provider[]>; reload: () => void }) {
  const { t } = useText()
  const { write } = useSession()
  const [params, setParams] = useSearchParams()
  const asked = write ? params.get(PROVIDER) : null
  const edit = (id: string | null) => {
    const next = new URLSearchParams(params)
    if (id === null) next.delete(PROVIDER)
    else next.set(PROVIDER, id)
    setParams(next)
  }
  const choose = (tenant: string) => setParams(tenant ? { [TENANT]: tenant } : {})
  return (
    <>
      <div className="row">
        <h2>{t.auth.providers}</h2>
        <TenantSelect project={of.project} tenant={of.tenant} choose={choose} />
        {write && (
          <button type="button" className="button push" onClick={() => edit(NEW)}>
            <Icon name="plus" />
            {t.auth.addProvider}
          </button>
        )}
      </div>
      <Loaded state={state} reload={reload} rows={3}>
        {(all) => {
          const chosen = all.find((one) => one.id === asked) ?? null
          return (
            <>
              {all.length === 0 ? <Empty icon="auth">{t.auth.noProviders}</Empty> : <ProvidersTable all={all} edit={write ? edit : null} />}
              {(chosen ?? asked === NEW) && (
                <ProviderDialog key={`${of.tenant} ${asked}`} of={of} provider={chosen} close={() => edit(null)} changed={reload} />
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function ProvidersTable({ all, edit }: { all: Provider[]; edit: ((id: string) => void) | null }) {
  const { t } = useText()
  return (
    <ListTable label={t.auth.providers} heads={[t.auth.provider, t.auth.client, t.auth.issuer, t.auth.state]}>
      {all.map(({ id, displayName, clientId, spEntityId, issuer, idpEntityId, authorizationUrl, enabled }) => (
        <tr key={id}>
          <td className="mono tight">
            {edit ? (
              <button type="button" className="link" onClick={() => edit(id)}>
                {id}
              </button>
            ) : (
              id
            )}{' '}
            {displayName !== '' && <span className="soft">{displayName}</span>}
          </td>
          <td className="mono wrap">{clientId || spEntityId}</td>
          <td className="mono wrap">{issuer || idpEntityId || authorizationUrl}</td>
          <td className="tight state">
            <span className={`tag ${enabled ? 'good' : ''}`}>{enabled ? t.auth.on : t.auth.off}</span>
          </td>
        </tr>
      ))}
    </ListTable>
  )
}
