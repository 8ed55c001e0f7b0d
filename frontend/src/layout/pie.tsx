import { Signo } from '../components/signo'
import { Logo } from '../art/logo'
import { sitio } from '../content/sitio'
import { t } from '../i18n/es'
import { hoy } from '../lib/fechas'
import { useHidratado } from '../lib/use-hidratado'
import { BotonTema } from './boton-tema'
import { EnlacePagina } from './enlace-pagina'

const ENLACES = [
  { a: '/', texto: t.pie.inicio },
  { a: '/informacion', texto: t.pie.informaciones },
  { a: '/programas', texto: t.pie.programas },
  { a: '/contacto', texto: t.pie.contactos },
  { a: '/donar', texto: t.pie.donar },
]

/** The copyright line; its year is the visitor's, not the build's (F-023). */
function Derechos() {
  const hidratado = useHidratado()
  return (
    <p key={hidratado ? 'vivo' : 'previo'} suppressHydrationWarning>
      {t.pie.derechos(hoy().slice(0, 4))}
    </p>
  )
}

/** The site's footer (F-020…F-023). */
export function Pie() {
  return (
    <footer className="pie no-imprimir">
      <div className="contenedor grid gap-10 pt-14 pb-10 md:grid-cols-[1.4fr_1fr_1fr]">
        <div>
          <Logo variante="marca" className="size-20" />
          <p className="titulo-2 font-titular mt-4 max-w-[15ch] leading-tight font-extrabold text-balance">{sitio.lema}</p>
        </div>
        <nav aria-label={t.pie.enlaces}>
          <h2 className="titulo-3 mb-2">{t.pie.enlaces}</h2>
          <ul>
            {ENLACES.map(({ a, texto }) => (
              <li key={a}>
                <EnlacePagina to={a} className="enlace-pie">
                  {texto}
                </EnlacePagina>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          <h2 className="titulo-3 mb-2">{t.pie.contacto}</h2>
          <ul>
            <li>
              <a href={`mailto:${sitio.correo}`} className="enlace-pie">
                <Signo nombre="carta" talla={20} /> {sitio.correo}
              </a>
            </li>
            <li>
              <a href={sitio.telefonoEnlace} className="enlace-pie">
                <Signo nombre="telefono" talla={20} /> {sitio.telefono}
              </a>
            </li>
          </ul>
        </div>
      </div>
      <div className="contenedor flex flex-wrap items-center justify-between gap-x-6 gap-y-2 pb-8 text-sm">
        <Derechos />
        <div className="flex items-center gap-4">
          <EnlacePagina to="/privacidad" className="enlace-pie">
            {t.pie.privacidad}
          </EnlacePagina>
          <BotonTema />
        </div>
      </div>
    </footer>
  )
}
