import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import { App } from './app'
import { sitio } from './content/sitio'
import { datosFundacion, META, type Meta, PUBLICAS } from './meta'
import { cargar, rutaDe } from './rutas'

export { META }

/** What the build needs to know of the site. */
export const paginas = PUBLICAS

/** The site's own address when the build is given none. */
export const direccion = sitio.url

/** What pages without prerendered text say without scripts. */
export { baja, sinGuion } from './sin-guion'

/** A page as HTML and what its head says. */
export async function prerender(camino: string, url: string): Promise<{ html: string; meta: Meta; ruta: string; datos: object | null }> {
  const ruta = rutaDe(camino)
  await cargar(ruta)
  const html = renderToString(
    <StaticRouter location={camino}>
      <App />
    </StaticRouter>,
  )
  return { html, meta: META[ruta], ruta, datos: camino === '/' ? datosFundacion(url) : null }
}
