import { useSearchParams } from 'react-router-dom'
import { type AuthSettings, loadAuthSettings } from '../../api/auth-settings'
import { loadProviders } from '../../api/providers'
import type { Messages } from '../../i18n/en'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { PageHead } from '../../ui/page-head'
import { Loaded } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { TENANT } from './address'
import { ProvidersSection } from './providers-section'

/** The settings with their names; undefined for what a flag of the server decides. */
function settingsOf({ signIn, emailPrivacyConfig, client, mfa }: AuthSettings, t: Messages): [name: string, on: boolean | undefined][] {
  const { email, phoneNumber, anonymous, allowDuplicateEmails } = signIn
  const permissions = client.permissions
  return [
    [t.auth.password, email.enabled],
    [t.auth.emailLink, email.enabled && !email.passwordRequired],
    [t.auth.phone, phoneNumber.enabled],
    [t.auth.anonymous, anonymous.enabled],
    [t.auth.factors, mfa.state === 'ENABLED' || mfa.state === 'MANDATORY'],
    [t.auth.signUp, permissions.disabledUserSignup === undefined ? undefined : !permissions.disabledUserSignup],
    [t.auth.ownDeletion, !permissions.disabledUserDeletion],
    [t.auth.privacy, emailPrivacyConfig.enableImprovedEmailPrivacy],
    [t.auth.duplicates, allowDuplicateEmails],
  ]
}

/** The settings of Authentication and its identity providers. */
export default function AuthPage() {
  const { t } = useText()
  const { project } = useScope()
  const settings = useLoad(`settings ${project}`, (signal) => loadAuthSettings(project, signal))
  const [params] = useSearchParams()
  const of = { project, tenant: params.get(TENANT) ?? '' }
  const providers = useLoad(`providers ${project} ${of.tenant}`, (signal) => loadProviders(of, signal))
  const reload = () => {
    settings.reload()
    providers.reload()
  }
  return (
    <div className="page">
      <PageHead title={t.pages.auth} reload={reload} />
      <p className="soft">{t.auth.hint}</p>
      <Loaded state={settings.state} reload={settings.reload} rows={9}>
        {(all) => (
          <>
            <ListTable label={t.auth.settings} heads={[t.auth.settings, t.auth.state]}>
              {settingsOf(all, t).map(([name, on]) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td className="tight state">
                    <span className={`tag ${on ? 'good' : ''}`}>{on === undefined ? t.auth.byFlag : on ? t.auth.on : t.auth.off}</span>
                  </td>
                </tr>
              ))}
            </ListTable>
            <section className="stack" aria-label={t.auth.domains}>
              <h2>{t.auth.domains}</h2>
              {all.authorizedDomains.length === 0 ? (
                <p>{t.auth.noDomains}</p>
              ) : (
                <p className="mono wrap">{all.authorizedDomains.join(', ')}</p>
              )}
            </section>
          </>
        )}
      </Loaded>
      <ProvidersSection of={of} state={providers.state} reload={providers.reload} />
    </div>
  )
}
