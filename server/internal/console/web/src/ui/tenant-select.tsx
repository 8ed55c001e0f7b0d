import { listTenants } from '../api/users'
import { useText } from '../i18n/text'
import { useLoad } from '../lib/use-load'

type Props = { project: string; tenant: string; choose: (tenant: string) => void }

/** A list of a project's tenants; nothing if it has none. */
export function TenantSelect({ project, tenant, choose }: Props) {
  const { t } = useText()
  const { state } = useLoad(`tenants ${project}`, (signal) => listTenants(project, signal))
  if (state.status !== 'ready' || state.data.length === 0) return null
  return (
    <select value={tenant} aria-label={t.users.tenant} onChange={(event) => choose(event.target.value)}>
      <option value="">{t.users.noTenant}</option>
      {state.data.map((one) => (
        <option key={one.id} value={one.id}>
          {one.label}
        </option>
      ))}
    </select>
  )
}
