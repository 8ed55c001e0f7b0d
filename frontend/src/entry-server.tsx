import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import { App } from './app'
import { site } from './content/sitio'
import { organizationData, META, type Meta } from './meta'
import './chunks'
import { load } from './loading'
import { PUBLIC_PATHS, routeOf } from './paths'

export { META }

/** The site's data for the build. */
export const pages = PUBLIC_PATHS

/** The site's address if the build sets none. */
export const address = site.url

/** The text of pages without prerendered text, for browsers without scripts. */
export { offlinePage, unsubscribePage, noScript } from './no-script'

/** The page of an event, for the back office. */
export { eventTemplate } from './event-template'

/** A page as HTML with the metadata of its head. */
export async function prerender(path: string, url: string): Promise<{ html: string; meta: Meta; route: string; data: object | null }> {
  const route = routeOf(path)
  await load(route)
  const html = renderToString(
    <StaticRouter location={path}>
      <App />
    </StaticRouter>,
  )
  return { html, meta: META[route], route, data: path === '/' ? organizationData(url) : null }
}
