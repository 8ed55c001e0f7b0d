import { Link } from '../../components/link'
import { Empty, Failed, Skeleton } from '../../admin/ui/state'
import { es } from '../../i18n/es-admin'
import { DASH, dateAndTime } from '../../lib/dates'
import { newForms } from './news'
import type { Recent } from './use-recent'

/** The maximum number of forms on the list. */
const MOST = 12

/** What the panel opens on: the new forms of the last weeks, newest first, each as a link to its tab. */
export function NewsList({ recent }: { recent: Recent }) {
  const { news } = es
  const lists = [recent.contacts, recent.volunteers, recent.older, recent.rentals]
  const forms = newForms(recent)
  return (
    <section aria-labelledby="lo-nuevo" className="grid gap-3">
      <h2 id="lo-nuevo" className="panel-titulo text-[17px]">
        {news.title}
      </h2>
      {lists.some(({ status }) => status === 'error') ? (
        <Failed />
      ) : lists.some(({ status }) => status === 'loading') ? (
        <Skeleton rows={4} label={es.table.loading} />
      ) : forms.length === 0 ? (
        <Empty slot="vacio-mensajes">{news.none}</Empty>
      ) : (
        <ul className="panel-capa panel-nuevos">
          {forms.slice(0, MOST).map(({ id, tab, who, text, createdAt }) => (
            <li key={id}>
              <Link to={{ search: `?tab=${tab}&estado=new` }} className="panel-nuevo">
                <span className="panel-nuevo-tipo">{es.tabs[tab]}</span>
                <strong className="panel-nuevo-quien">{who || DASH}</strong>
                <span className="panel-nuevo-texto">{text || DASH}</span>
                <time dateTime={createdAt?.toISOString()} className="panel-nuevo-hora">
                  {dateAndTime(createdAt)}
                </time>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {forms.length > MOST ? <p className="ayuda">{news.more(forms.length - MOST)}</p> : null}
    </section>
  )
}
