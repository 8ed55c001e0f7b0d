import { renderToStaticMarkup } from 'react-dom/server'
import { site } from './content/sitio'
import { t } from './i18n/es'

const LINKS = [
  { a: '/', text: t.foot.inicio },
  { a: '/calendario', text: t.bar.calendar },
  { a: '/contacto', text: t.foot.contacts },
]

/** A page for who has no scripts: whose site it is, what of it can be read, and the phone; `marca` comes first. */
export function noScript(mark = ''): string {
  const page = renderToStaticMarkup(
    <noscript>
      <div className="contenedor py-14">
        <p className="titulo-2 font-titular">{site.name}</p>
        <p className="mt-4">{t.noScript.events}</p>
        <ul className="mt-4">
          {LINKS.map(({ a, text }) => (
            <li key={a}>
              <a className="enlace inline-flex min-h-11 items-center" href={a}>
                {text}
              </a>
            </li>
          ))}
          <li>
            <a className="enlace inline-flex min-h-11 items-center" href={site.phoneLink}>
              {site.phone}
            </a>
          </li>
        </ul>
      </div>
    </noscript>,
  )
  return page.replace('<p ', `${mark}<p `)
}

/** What is said in the place of a page that was never here, while there is no connection (public/sw.js). */
export function offlinePage(): string {
  return renderToStaticMarkup(
    <main className="contenedor py-14">
      <p className="titulo-3 mb-7">
        <a href="/">{site.name}</a>
      </p>
      <h1 className="titulo-1">{t.offline.title}</h1>
      <p className="entrada mt-5 mb-7">{t.offline.lead}</p>
      <ul>
        {LINKS.slice(0, 2).map(({ a, text }) => (
          <li key={a}>
            <a className="enlace inline-flex min-h-11 items-center" href={a}>
              {text}
            </a>
          </li>
        ))}
        <li>
          <a className="enlace inline-flex min-h-11 items-center" href={site.phoneLink}>
            {t.offline.callOut}
          </a>
        </li>
      </ul>
    </main>,
  )
}

/** The page around what is said at an unsubscribe link, in the place of `marca`. */
export function unsubscribePage(mark: string): string {
  const page = renderToStaticMarkup(
    <main className="contenedor py-14">
      <p className="titulo-3 mb-7">
        <a href="/">{site.name}</a>
      </p>
      <p className="mt-10">
        <a className="enlace inline-flex min-h-11 items-center" href="/contacto">
          {t.bar.contacts}
        </a>
      </p>
    </main>,
  )
  return page.replace('<p class="mt-10">', `${mark}$&`)
}
