import { useText } from '../../i18n/text'
import { CopyButton } from '../../ui/copy-button'
import { Input } from '../../ui/input'
import { fieldsOf, NAMED, OAUTH_MEMBERS, OAUTH_URLS, type Secrets, type Values } from './provider-values'

type Props = {
  values: Values
  secrets: Secrets
  /** Whether the provider was added before. Its id stays. */
  added: boolean
  /** The certificates of the key with which this server signs requests to it, in PEM. */
  ownCertificates: string[]
  set: (edits: Partial<Values>) => void
  setSecrets: (secrets: Secrets) => void
}

/** The fields of an identity provider. Those of secrets are empty, also if a secret is stored. */
export function ProviderFields({ values, secrets, added, ownCertificates, set, setSecrets }: Props) {
  const { t } = useText()
  const { oidc, oauth, saml, apple, apps } = fieldsOf(values.kind)
  const bind = (name: Exclude<keyof Values, 'enabled' | 'kind' | 'signRequest'>) => ({
    value: values[name],
    set: (value: string) => set({ [name]: value }),
  })
  const secretHint = added ? t.auth.secretKept : oidc ? t.auth.secretOptional : undefined
  return (
    <>
      {!added && (
        <label className="field">
          <span>{t.auth.provider}</span>
          <select data-first value={values.kind} onChange={(event) => set({ kind: event.target.value })}>
            {NAMED.map((id) => (
              <option key={id}>{id}</option>
            ))}
            <option value="oidc">{t.auth.oidc}</option>
            <option value="oauth">{t.auth.oauth}</option>
            <option value="saml">{t.auth.saml}</option>
          </select>
        </label>
      )}
      {(oidc || oauth || saml) && (
        <div className="two">
          {!added && <Input label={t.auth.oidcName} className="mono" hint={t.auth.nameHint(values.kind)} {...bind('name')} />}
          {!oauth && <Input label={t.auth.displayName} {...bind('displayName')} />}
        </div>
      )}
      {oidc && <Input label={t.auth.issuer} type="url" className="mono" hint={t.auth.issuerHint} {...bind('issuer')} />}
      {!saml && <Input label={apple ? t.auth.servicesId : t.auth.client} className="mono" {...bind('clientId')} />}
      {saml ? (
        <SamlFields values={values} ownCertificates={ownCertificates} set={set} />
      ) : apple ? (
        <>
          <div className="two">
            <Input label={t.auth.teamId} className="mono" {...bind('teamId')} />
            <Input label={t.auth.keyId} className="mono" {...bind('keyId')} />
          </div>
          <Pem
            label={t.auth.privateKey}
            hint={added ? t.auth.secretKept : t.auth.privateKeyHint}
            value={secrets.privateKey}
            set={(privateKey) => setSecrets({ ...secrets, privateKey })}
          />
          <Input label={t.auth.bundleIds} className="mono" hint={t.auth.listHint} {...bind('bundleIds')} />
        </>
      ) : (
        <Input
          label={t.auth.secret}
          type="password"
          className="mono"
          autoComplete="new-password"
          hint={secretHint}
          value={secrets.clientSecret}
          set={(clientSecret) => setSecrets({ ...secrets, clientSecret })}
        />
      )}
      {oauth && <OAuthFields values={values} set={set} />}
      {apps && <Input label={t.auth.apps} className="mono" hint={t.auth.listHint} {...bind('additionalClientIds')} />}
      <div className="checks">
        <label>
          <input type="checkbox" checked={values.enabled} onChange={(event) => set({ enabled: event.target.checked })} />
          {t.auth.enabled}
        </label>
      </div>
    </>
  )
}

/** A field for a key or for certificates in PEM. */
function Pem({ label, hint, value, set }: { label: string; hint: string; value: string; set: (value: string) => void }) {
  return (
    <label className="field">
      <span>{label}</span>
      <textarea
        className="mono"
        rows={3}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set(event.target.value)}
      />
      <span>{hint}</span>
    </label>
  )
}

/** The addresses, scopes and members of a provider of OAuth 2. */
function OAuthFields({ values, set }: Pick<Props, 'values' | 'set'>) {
  const { t } = useText()
  const { urls, members } = t.auth
  return (
    <>
      {OAUTH_URLS.map((name) => (
        <Input
          key={name}
          label={urls[name]}
          type="url"
          className="mono"
          hint={name === 'introspectionUrl' ? t.auth.introspectionHint : undefined}
          value={values[name]}
          set={(value) => set({ [name]: value })}
        />
      ))}
      <Input label={t.auth.scopes} className="mono" hint={t.auth.listHint} value={values.scopes} set={(scopes) => set({ scopes })} />
      {OAUTH_MEMBERS.map((name) => (
        <Input
          key={name}
          label={members[name]}
          className="mono"
          hint={t.auth.memberHints[name]}
          value={values[name]}
          set={(value) => set({ [name]: value })}
        />
      ))}
    </>
  )
}

/** The fields of a SAML provider, which has no secrets that are typed. */
function SamlFields({ values, ownCertificates, set }: Pick<Props, 'values' | 'ownCertificates' | 'set'>) {
  const { t } = useText()
  const bind = (name: 'idpEntityId' | 'ssoUrl' | 'spEntityId' | 'callbackUri' | 'emailDomains') => ({
    value: values[name],
    set: (value: string) => set({ [name]: value }),
  })
  return (
    <>
      <Input label={t.auth.idpEntityId} className="mono" hint={t.auth.idpEntityIdHint} {...bind('idpEntityId')} />
      <Input label={t.auth.ssoUrl} type="url" className="mono" hint={t.auth.ssoUrlHint} {...bind('ssoUrl')} />
      <Pem
        label={t.auth.certificates}
        hint={t.auth.certificatesHint}
        value={values.certificates}
        set={(certificates) => set({ certificates })}
      />
      <Input label={t.auth.spEntityId} className="mono" hint={t.auth.spEntityIdHint} {...bind('spEntityId')} />
      <Input label={t.auth.emailDomains} className="mono" hint={t.auth.emailDomainsHint} {...bind('emailDomains')} />
      <Input label={t.auth.callbackUri} type="url" className="mono" hint={t.auth.callbackUriHint} {...bind('callbackUri')} />
      <div className="checks">
        <label>
          <input type="checkbox" checked={values.signRequest} onChange={(event) => set({ signRequest: event.target.checked })} />
          {t.auth.signRequest}
        </label>
      </div>
      {values.signRequest && ownCertificates.length === 0 && <p className="soft small">{t.auth.signRequestHint}</p>}
      {ownCertificates.length > 0 && (
        <section className="stack" aria-label={t.auth.ownCertificate}>
          <div className="row">
            <h3>{t.auth.ownCertificate}</h3>
            <span className="push">
              <CopyButton text={ownCertificates.join('\n')} />
            </span>
          </div>
          <pre className="mono wrap small">{ownCertificates.join('\n')}</pre>
        </section>
      )}
    </>
  )
}
