import { site } from '../content/sitio'
import { t } from '../i18n/es'

/** Shown without scripts in place of content that needs them: how to reach the foundation. */
export function NoScript({ text }: { text: string }) {
  return (
    <noscript>
      <p className="aviso my-4 max-w-prose">
        {text} {t.noScript.writeToUs}{' '}
        <a className="enlace" href={`mailto:${site.email}`}>
          {site.email}
        </a>{' '}
        {t.noScript.callUs}{' '}
        <a className="enlace" href={site.phoneLink}>
          {site.phone}
        </a>
        .
      </p>
    </noscript>
  )
}
