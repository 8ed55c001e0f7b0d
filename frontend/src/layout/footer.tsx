import { Logo } from '../art/logo'
import { site } from '../content/sitio'
import { t } from '../i18n/es'
import { today } from '../lib/dates'
import { useHydrated } from '../lib/use-hydrated'
import { ThemeButton } from './theme-button'
import { PageLink } from './page-link'

const LINKS = [
  { a: '/', text: t.foot.inicio },
  { a: '/informacion', text: t.foot.informaciones },
  { a: '/programas', text: t.foot.programas },
  { a: '/contacto', text: t.foot.contacts },
  { a: '/donar', text: t.foot.donar },
]

const NETWORKS = [
  { a: site.whatsappLink, text: t.foot.whatsapp },
  { a: site.instagram, text: t.foot.instagram },
  { a: site.youtube, text: t.foot.youtube },
]

/** The copyright line. Its year is the visitor's, not that of the build (F-023). */
function Rights() {
  const hydrated = useHydrated()
  return (
    <p key={hydrated ? 'vivo' : 'previo'} suppressHydrationWarning>
      {t.foot.rights(today().slice(0, 4))}
    </p>
  )
}

/** The site's footer (F-020…F-023). */
export function Footer() {
  return (
    <footer className="pie no-imprimir">
      <div className="contenedor pie-rejilla">
        <div className="pie-marca">
          <Logo variant="marca" className="size-12 md:size-20" />
          <p className="titulo-2 font-titular max-w-[15ch] leading-tight font-extrabold text-balance md:mt-4">{site.motto}</p>
        </div>
        <nav aria-label={t.foot.links}>
          <h2 className="titulo-3 mb-1 max-sm:text-base">{t.foot.links}</h2>
          <ul>
            {LINKS.map(({ a, text }) => (
              <li key={a}>
                <PageLink to={a} className="enlace-pie">
                  {text}
                </PageLink>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="titulo-3 mb-1 max-sm:text-base">{t.foot.contacto}</h2>
          <ul>
            <li>
              <a href={`mailto:${site.email}`} className="enlace-pie">
                {site.email}
              </a>
            </li>
            <li>
              <a href={site.phoneLink} className="enlace-pie">
                {site.phone}
              </a>
            </li>
            {NETWORKS.map(({ a, text }) => (
              <li key={text}>
                <a href={a} target="_blank" rel="noopener noreferrer" className="enlace-pie">
                  {text}
                  <span className="sr-only"> {t.common.newTab}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
        <p className="pie-horas text-sm">{site.times}</p>
      </div>
      <div className="contenedor flex flex-wrap items-center justify-between gap-x-6 gap-y-2 pb-6 text-sm">
        <Rights />
        <div className="flex items-center gap-4">
          <PageLink to="/impacto" className="enlace-pie">
            {t.foot.impacto}
          </PageLink>
          <PageLink to="/privacidad" className="enlace-pie">
            {t.foot.privacidad}
          </PageLink>
          <ThemeButton />
        </div>
      </div>
    </footer>
  )
}
