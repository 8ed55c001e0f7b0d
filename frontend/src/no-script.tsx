import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Logo } from './art/logo'
import { buttonClasses } from './components/button-classes'
import { site } from './content/sitio'
import { t } from './i18n/es'

const LINKS = [
  { a: '/', text: t.foot.inicio },
  { a: '/calendario', text: t.bar.calendar },
  { a: '/contacto', text: t.foot.contacts },
]

/** A page without scripts: the site's name, what needs them, links to readable pages, and the phone number. */
export function noScript(what: 'event' | 'panel'): string {
  return renderToStaticMarkup(
    <noscript>
      <div className="contenedor py-14">
        <p className="titulo-2 font-titular">{site.name}</p>
        <p className="mt-4">{t.noScript[what]}</p>
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
}

/** The frame of a page without scripts: the site's name in a bar, and a sheet of paper below it. */
function Sheet({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="border-borde border-b-2">
        <div className="contenedor">
          <a className="titulo-3 font-titular inline-flex min-h-16 items-center gap-3" href="/">
            <Logo variant="marca" className="size-12 shrink-0" />
            {site.name}
          </a>
        </div>
      </header>
      <main className="contenedor py-14">
        <div className="cartel-papel max-w-3xl">{children}</div>
      </main>
    </>
  )
}

/** The page for addresses that are not stored while there is no connection (public/sw.js). */
export function offlinePage(): string {
  const links = [...LINKS.slice(0, 2), { a: site.phoneLink, text: t.offline.callOut }]
  return renderToStaticMarkup(
    <Sheet>
      <h1 className="titulo-1">{t.offline.title}</h1>
      <p className="entrada mt-5 mb-7">{t.offline.lead}</p>
      <ul className="flex flex-wrap gap-3">
        {links.map(({ a, text }, i) => (
          <li key={a}>
            <a className={buttonClasses(i ? 'secundario' : 'primario')} href={a}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </Sheet>,
  )
}

/** The page for the back office's text at an unsubscribe link, which replaces `marca`. */
export function unsubscribePage(mark: string): string {
  const page = renderToStaticMarkup(
    <Sheet>
      <p className="mt-10">
        <a className="enlace inline-flex min-h-11 items-center" href="/contacto">
          {t.bar.contacts}
        </a>
      </p>
    </Sheet>,
  )
  return page.replace('<p class="mt-10">', `${mark}$&`)
}
