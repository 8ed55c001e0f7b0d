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

const REDES = [
  { a: sitio.whatsappEnlace, texto: t.pie.whatsapp },
  { a: sitio.instagram, texto: t.pie.instagram },
  { a: sitio.youtube, texto: t.pie.youtube },
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
      <div className="contenedor pie-rejilla">
        <div className="pie-marca">
          <Logo variante="marca" className="size-12 md:size-20" />
          <p className="titulo-2 font-titular max-w-[15ch] leading-tight font-extrabold text-balance md:mt-4">{sitio.lema}</p>
        </div>
        <nav aria-label={t.pie.enlaces}>
          <h2 className="titulo-3 mb-1 max-sm:text-base">{t.pie.enlaces}</h2>
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
          <h2 className="titulo-3 mb-1 max-sm:text-base">{t.pie.contacto}</h2>
          <ul>
            <li>
              <a href={`mailto:${sitio.correo}`} className="enlace-pie">
                {sitio.correo}
              </a>
            </li>
            <li>
              <a href={sitio.telefonoEnlace} className="enlace-pie">
                {sitio.telefono}
              </a>
            </li>
            {REDES.map(({ a, texto }) => (
              <li key={texto}>
                <a href={a} target="_blank" rel="noopener noreferrer" className="enlace-pie">
                  {texto}
                  <span className="sr-only"> {t.comun.pestanaNueva}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
        <p className="pie-horas text-sm">{sitio.horas}</p>
      </div>
      <div className="contenedor flex flex-wrap items-center justify-between gap-x-6 gap-y-2 pb-6 text-sm">
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
