import type { ReactNode } from 'react'
import { ApiError } from '../api/http'
import { useText } from '../i18n/text'
import type { Load } from '../lib/use-load'
import { Icon, type IconName } from './icons'

export function Skeleton({ rows = 6 }: { rows?: number }) {
  const { t } = useText()
  return (
    <div className="skeleton" role="status" aria-label={t.common.loading}>
      {Array.from({ length: rows }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}

/** What is shown in place of an empty list, in the main list of a page with the page's icon. */
export function Empty({ icon, children }: { icon?: IconName; children: ReactNode }) {
  return (
    <div className={icon ? 'empty framed' : 'empty'}>
      {icon && (
        <span className="empty-icon">
          <Icon name={icon} />
        </span>
      )}
      {children}
    </div>
  )
}

/** The text of an error, the server's own if it has one. */
export function errorText(error: unknown, unavailable: string): string {
  if (error instanceof TypeError) return unavailable
  return error instanceof Error ? error.message : String(error)
}

/** The sentence for an error that consists of a code of Authentication, such as "WEAK_PASSWORD : details"; the text of others. */
function sentence(text: string, known: Record<string, string>): string {
  return known[text.split(' : ')[0] ?? ''] ?? text
}

/** Shows an error, with a button that retries. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { t } = useText()
  const refused = error instanceof ApiError && error.code === 403
  return (
    <div className="notice bad" role="alert">
      <strong>{refused ? t.common.noRights : t.common.problem}</strong>
      <span>{sentence(errorText(error, t.common.unavailable), t.users.errors)}</span>
      {retry && !refused && (
        <div>
          <button type="button" className="button" onClick={retry}>
            {t.common.retry}
          </button>
        </div>
      )}
    </div>
  )
}

/** Shows a load while it runs, its error, or its data. */
export function Loaded<T>({
  state,
  reload,
  rows,
  children,
}: {
  state: Load<T>
  reload: () => void
  rows?: number
  children: (data: T) => ReactNode
}) {
  if (state.status === 'loading') return <Skeleton rows={rows ?? 6} />
  if (state.status === 'error') return <Problem error={state.error} retry={reload} />
  return children(state.data)
}
