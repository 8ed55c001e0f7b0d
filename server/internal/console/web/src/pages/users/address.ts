import type { Directory } from '../../api/users'
import { pagePath } from '../../lib/scope'

/** The address of a user's dialog, at one of its tabs. */
export function userAddress({ project, tenant }: Directory, localId: string, tab = ''): string {
  const query = new URLSearchParams({ ...(tenant && { tenant }), user: localId, ...(tab && { tab }) })
  return `${pagePath('users', { project, database: '(default)' })}?${query}`
}
