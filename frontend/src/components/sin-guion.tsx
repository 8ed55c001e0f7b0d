import { sitio } from '../content/sitio'
import { t } from '../i18n/es'

/** What stands, without scripts, in the place of what needs them: how to reach the foundation instead. */
export function SinGuion({ texto }: { texto: string }) {
  return (
    <noscript>
      <p className="aviso my-4 max-w-prose">
        {texto} {t.sinGuion.escribenos}{' '}
        <a className="enlace" href={`mailto:${sitio.correo}`}>
          {sitio.correo}
        </a>{' '}
        {t.sinGuion.llamanos}{' '}
        <a className="enlace" href={sitio.telefonoEnlace}>
          {sitio.telefono}
        </a>
        .
      </p>
    </noscript>
  )
}
