import { useEffect, useState } from 'react'
import { Link, Navigate, Route, Routes } from 'react-router-dom'
import { connection } from './api/http'
import { loadSession, type Session } from './api/session'
import { useText } from './i18n/text'
import { lastCollection } from './lib/last-collection'
import { pagePath } from './lib/scope'
import { useLoad } from './lib/use-load'
import { PAGES } from './pages/pages'
import { SessionContext } from './session'
import { Shell } from './shell/shell'
import { Empty, Problem, Skeleton } from './ui/states'

/** The whole page. It needs the session that a link of the server has opened, and loads it unless it is given. */
export function App({ session }: { session: Session | null }) {
  const [ended, setEnded] = useState(false)
  useEffect(() => {
    connection.ended = () => setEnded(true)
  }, [])
  if (ended) return <Ended />
  return session ? <Pages session={session} /> : <LoadingPages />
}

function LoadingPages() {
  const { state, reload } = useLoad('session', loadSession)
  if (state.status === 'loading') return <Skeleton />
  if (state.status === 'error') return <Problem error={state.error} retry={reload} />
  return <Pages session={state.data} />
}

function Pages({ session }: { session: Session }) {
  const pages = PAGES.filter((page) => session.features.includes(page.feature))
  const scope = { project: session.project, database: '(default)' }
  const first = pages[0]?.id ?? 'data'
  const start = pagePath(first, scope, first === 'data' ? lastCollection(scope) : '')
  return (
    <SessionContext value={session}>
      <Routes>
        <Route element={<Shell pages={pages.map((page) => page.id)} />}>
          {pages.map(({ id, view: View }) => (
            <Route key={id} path={`/${id}/:project/:database/*`} element={<View />} />
          ))}
          {pages.map(({ id }) => (
            <Route key={`${id}-short`} path={`/${id}`} element={<Navigate replace to={pagePath(id, scope)} />} />
          ))}
          <Route path="/" element={<Navigate replace to={start} />} />
          <Route path="*" element={<Missing />} />
        </Route>
      </Routes>
    </SessionContext>
  )
}

function Missing() {
  const { t } = useText()
  return (
    <Empty icon="search">
      <h1>{t.shell.notFound}</h1>
      <Link className="button" to="/">
        {t.shell.toData}
      </Link>
    </Empty>
  )
}

function Ended() {
  const { t } = useText()
  return (
    <main>
      <Empty>
        <h1>{t.shell.endedTitle}</h1>
        <p>{t.shell.endedText}</p>
        <code>clave console</code>
      </Empty>
    </main>
  )
}
