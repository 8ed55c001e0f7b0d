import type { Directory } from '../../api/users'
import { pagePath } from '../../lib/scope'

/** The parameter with the tenant whose providers are shown. */
export const TENANT = 'tenant'

/** The parameter with the id of the provider that is edited, and its value for one that is to be added. */
export const PROVIDER = 'provider'
export const NEW = 'new'

/** The address of a provider's form. */
export const providerAddress = ({ project, tenant }: Directory, id: string): string =>
  `${pagePath('auth', { project, database: '(default)' })}?${new URLSearchParams({ ...(tenant && { [TENANT]: tenant }), [PROVIDER]: id })}`
