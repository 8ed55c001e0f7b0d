import { useText } from '../../i18n/text'
import { useSession } from '../../session'
import { CopyButton } from '../../ui/copy-button'

/** The paths of the page to which providers return. Clients with connectAuthEmulator use the second one. */
const HANDLERS = ['/__/auth/handler', '/emulator/auth/handler']

/** What is to be entered at a provider, and where. */
export function RedirectUris({ kind }: { kind: string }) {
  const { t } = useText()
  const { mode, publicUrl } = useSession()
  const where: Record<string, string> = t.auth.where
  if (mode !== 'serve') return <p className="soft small">{t.auth.development}</p>
  return (
    <section className="stack" aria-label={t.auth.enter}>
      <h3>{t.auth.enter}</h3>
      <p className="soft small">{where[kind] ?? t.auth.where.oidc}</p>
      <ul className="list">
        {HANDLERS.map((path) => (
          <li key={path}>
            <span className="mono wrap">{(publicUrl || 'https://YOUR-HOST') + path}</span>
            <span className="push">
              <CopyButton text={(publicUrl || 'https://YOUR-HOST') + path} />
            </span>
          </li>
        ))}
      </ul>
      <p className="soft small">{t.auth.enterHint}</p>
    </section>
  )
}
