import { useEffect } from 'react'
import { loadCodes } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Empty, Loaded } from '../../ui/states'

const EVERY_MS = 3000

/** The e-mails and text messages that development doesn't send, with their links and codes. */
export default function CodesPage() {
  const { t } = useText()
  const { project } = useScope()
  const { state, reload } = useLoad(`codes ${project}`, (signal) => loadCodes(project, signal))
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  const kinds: Record<string, string> = t.codes.kinds
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.codes}</h1>
        <span className="soft">{t.codes.hint}</span>
      </div>
      <Loaded state={state} reload={reload}>
        {({ oob, sms }) =>
          oob.length + sms.length === 0 ? (
            <Empty>{t.codes.none}</Empty>
          ) : (
            <ul className="cards">
              {oob.map((mail) => (
                <li className="card" key={mail.oobCode}>
                  <div className="row">
                    <span className="tag">{t.codes.mail}</span>
                    <strong className="wrap">{mail.email}</strong>
                  </div>
                  <p>{kinds[mail.requestType] ?? mail.requestType}</p>
                  <div className="row">
                    <a className="button" href={mail.oobLink} target="_blank" rel="noreferrer">
                      {t.codes.open}
                    </a>
                    <CopyButton text={mail.oobLink} label={t.codes.copyLink} />
                  </div>
                </li>
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
