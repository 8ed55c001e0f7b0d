import { pagePath } from '../../lib/scope'

/** The parameter with the id of the provider that is edited, and its value for one that is to be added. */
export const PROVIDER = 'provider'
export const NEW = 'new'

/** The address of a provider's form. */
export const providerAddress = (project: string, id: string): string =>
  `${pagePath('auth', { project, database: '(default)' })}?${new URLSearchParams({ [PROVIDER]: id })}`
