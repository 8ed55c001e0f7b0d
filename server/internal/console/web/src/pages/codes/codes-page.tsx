import { loadCodes, type Mail } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useEvery } from '../../lib/use-every'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Empty, Loaded } from '../../ui/states'

const EVERY_MS = 3000

/** The e-mails and text messages that development doesn't send, with their links and codes. */
export default function CodesPage() {
  const { t, language } = useText()
  const { project } = useScope()
  const { state, reload } = useLoad(`codes ${project} ${language}`, (signal) => loadCodes(project, language, signal))
  useEvery(reload, EVERY_MS)
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.codes}</h1>
        <span className="soft">{t.codes.hint}</span>
      </div>
      <Loaded state={state} reload={reload}>
        {({ oob, sms }) =>
          oob.length + sms.length === 0 ? (
            <Empty icon="codes">{t.codes.none}</Empty>
          ) : (
            <ul className="cards mails">
              {oob.map((mail) => (
                <MailCard key={mail.oobCode} mail={mail} />
              ))}
              {sms.map((message, i) => (
                <li className="card" key={`${message.phoneNumber} ${message.code} ${i}`}>
                  <div className="row">
                    <span className="tag">SMS</span>
                    <strong>{message.phoneNumber}</strong>
                  </div>
                  <p className="code-big mono">{message.code}</p>
                  <div className="row">
                    <CopyButton text={message.code} />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

/** An e-mail as its recipient would see it. */
function MailCard({ mail }: { mail: Mail }) {
  const { t } = useText()
  const kinds: Record<string, string> = t.codes.kinds
  const kind = kinds[mail.requestType] ?? mail.requestType
  return (
    <li className="card">
      <div className="row">
        <span className="tag">{t.codes.mail}</span>
        <span>{kind}</span>
      </div>
      <article className="mail" aria-label={mail.subject || kind}>
        <header>
          <strong className="wrap">{mail.subject || kind}</strong>
          <span className="soft small wrap">
            {t.codes.to} {mail.to || mail.email}
          </span>
        </header>
        {mail.text ? (
          mail.text
            .trim()
            .split('\n\n')
            .map((paragraph, i) => (
              <p key={i} className="wrap">
                {paragraph === mail.oobLink ? (
                  <a href={mail.oobLink} target="_blank" rel="noreferrer">
                    {mail.oobLink}
                  </a>
                ) : (
                  paragraph
                )}
              </p>
            ))
        ) : (
          <p className="soft">{t.codes.noMail}</p>
        )}
      </article>
      <div className="row">
        <a className="button" href={mail.oobLink} target="_blank" rel="noreferrer">
          {t.codes.open}
        </a>
        <CopyButton text={mail.oobLink} label={t.codes.copyLink} />
      </div>
    </li>
  )
}
