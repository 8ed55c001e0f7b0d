import { renderToStaticMarkup } from 'react-dom/server'
import { sitio } from './content/sitio'
import { t } from './i18n/es'

const ENLACES = [
  { a: '/', texto: t.pie.inicio },
  { a: '/calendario', texto: t.barra.calendario },
  { a: '/contacto', texto: t.pie.contactos },
]

/** A page for who has no scripts: whose site it is, what of it can be read, and the phone; `marca` comes first. */
export function sinGuion(marca = ''): string {
  const pagina = renderToStaticMarkup(
    <noscript>
      <div className="contenedor py-14">
        <p className="titulo-2 font-titular">{sitio.nombre}</p>
        <p className="mt-4">{t.sinGuion.eventos}</p>
        <ul className="mt-4">
          {ENLACES.map(({ a, texto }) => (
            <li key={a}>
              <a className="enlace inline-flex min-h-11 items-center" href={a}>
                {texto}
              </a>
            </li>
          ))}
          <li>
            <a className="enlace inline-flex min-h-11 items-center" href={sitio.telefonoEnlace}>
              {sitio.telefono}
            </a>
          </li>
        </ul>
      </div>
    </noscript>,
  )
  return pagina.replace('<p ', `${marca}<p `)
}

/** The page around what is said at an unsubscribe link, in the place of `marca`. */
export function baja(marca: string): string {
  const pagina = renderToStaticMarkup(
    <main className="contenedor py-14">
      <p className="titulo-3 mb-7">
        <a href="/">{sitio.nombre}</a>
      </p>
      <p className="mt-10">
        <a className="enlace inline-flex min-h-11 items-center" href="/contacto">
          {t.barra.contactos}
        </a>
      </p>
    </main>,
  )
  return pagina.replace('<p class="mt-10">', `${marca}$&`)
}
