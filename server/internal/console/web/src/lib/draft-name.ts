import type { Messages } from '../i18n/en'
import { readPath, splitPath } from './scope'

/**
 * The name of what a draft's address shows: a document's path, a query's collection, a replayed request, a user's id, a provider's id
 * or the name of a page.
 */
export function draftName(address: string, t: Messages): string {
  const url = new URL(address, location.origin)
  const { page, rest } = readPath(url.pathname)
  const pages: Record<string, string> = t.pages
  const user = url.searchParams.get('user')
  if (user) return url.searchParams.get('tab') === 'claims' ? `${user}: ${t.users.claims}` : user
  const provider = url.searchParams.get('provider')
  if (provider) return provider === 'new' ? t.auth.newProvider : provider
  const request = url.searchParams.get('request')
  if (request) return `${t.requests.replay}: ${request}`
  if (page === 'data' && splitPath(rest).document === null) return `${t.query.title}: ${rest}`
  return rest || (pages[page] ?? page)
}
