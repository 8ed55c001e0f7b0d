import { Suspense, useEffect, useRef, useState } from 'react'
import { Link, Outlet, useLocation, useNavigate } from 'react-router-dom'
import { type LabState, loadLab } from '../api/operations'
import { type Language, useText } from '../i18n/text'
import { pagePath, readPath, type Scope } from '../lib/scope'
import { LabContext } from '../lab'
import { currentTheme, setTheme, THEMES } from '../lib/theme'
import { useEvery } from '../lib/use-every'
import { useLoad } from '../lib/use-load'
import type { PageId } from '../pages/pages'
import { useSession } from '../session'
import { Boundary } from '../ui/boundary'
import { Icon } from '../ui/icons'
import { Skeleton } from '../ui/states'
import { Disturbances } from './disturbances'
import { Drafts, SignOut } from './drafts'
import { Palette } from './palette'

/** The scope and the page in the address. The shell is outside the routes and therefore has no route parameters. */
function usePlace(): { page: string; scope: Scope } {
  const session = useSession()
  const { page, scope } = readPath(useLocation().pathname)
  return { page, scope: { project: scope.project || session.project, database: scope.database || '(default)' } }
}

const LAB_EVERY_MS = 10_000

const noLab: LabState = { snapshots: [] }

/** The lab's state, loaded every few seconds; empty if there is no lab. */
function useLabState() {
  const { features } = useSession()
  const there = features.includes('lab')
  const lab = useLoad('lab', async (signal) => (there ? loadLab(signal) : noLab))
  useEvery(lab.reload, LAB_EVERY_MS, there)
  return lab
}

export function Shell({ pages }: { pages: PageId[] }) {
  const { t } = useText()
  const [menu, setMenu] = useState(false)
  const [palette, setPalette] = useState(false)
  const { pathname } = useLocation()
  const { page, scope } = usePlace()
  const lab = useLabState()
  const shell = useRef<HTMLDivElement>(null)
  useEffect(() => setMenu(false), [pathname])
  useEffect(() => {
    if (!menu) return
    // The shell itself is what dims the page behind the menu.
    const outside = (event: MouseEvent) => {
      if (event.target === shell.current) setMenu(false)
    }
    document.addEventListener('click', outside)
    return () => document.removeEventListener('click', outside)
  }, [menu])
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setPalette(true)
      } else if (event.key === 'Escape') setMenu(false)
    }
    window.addEventListener('keydown', key)
    return () => window.removeEventListener('keydown', key)
  }, [])
  const name = pages.find((id) => id === page)
  useEffect(() => {
    document.title = name ? `${t.pages[name]} · Clave` : 'Clave'
  }, [name, t])
  return (
    <div ref={shell} className="shell" data-menu={menu ? 'open' : 'closed'}>
      <a className="skip" href="#content">
        {t.shell.skip}
      </a>
      <Side pages={pages} page={page} scope={scope} openPalette={() => setPalette(true)} />
      <div className="main">
        <header className="topbar">
          <button type="button" className="button icon" aria-label={t.shell.menu} aria-expanded={menu} onClick={() => setMenu(!menu)}>
            <Icon name="menu" />
          </button>
          <strong>{name ? t.pages[name] : t.product}</strong>
          <button type="button" className="button icon push" aria-label={t.shell.palette} onClick={() => setPalette(true)}>
            <Icon name="search" />
          </button>
        </header>
        {lab.state.status === 'ready' && <Disturbances state={lab.state.data} scope={scope} />}
        <main className="content" id="content" tabIndex={-1}>
          <LabContext value={lab}>
            <Boundary key={page}>
              <Suspense fallback={<Skeleton />}>
                <Outlet />
              </Suspense>
            </Boundary>
          </LabContext>
        </main>
      </div>
      {palette && <Palette pages={pages} scope={scope} close={() => setPalette(false)} />}
    </div>
  )
}

function Side({ pages, page, scope, openPalette }: { pages: PageId[]; page: string; scope: Scope; openPalette: () => void }) {
  const { t } = useText()
  const session = useSession()
  return (
    <nav className="side" aria-label={t.shell.menu}>
      <div className="brand">
        <img src="/icon.svg" alt="" />
        Clave
      </div>
      <ScopePicker scope={scope} />
      <ul className="nav">
        {pages.map((id) => (
          <li key={id}>
            <Link to={pagePath(id, scope)} aria-current={id === page ? 'page' : undefined}>
              <Icon name={id} />
              {t.pages[id]}
            </Link>
          </li>
        ))}
      </ul>
      <Drafts />
      <div className="side-foot">
        <button type="button" className="button" onClick={openPalette} aria-keyshortcuts="Control+K">
          {t.shell.palette} <span className="soft small push">Ctrl K</span>
        </button>
        <Preferences />
        <div className="row small soft">
          <span>{t.shell.modes[session.mode]}</span>
          {!session.write && (
            <span className="tag warn" title={t.shell.readOnlyHint}>
              {t.shell.readOnly}
            </span>
          )}
          <span className="push mono clip" title={session.version}>
            {session.version.split(/[ ,]/)[0]}
          </span>
        </div>
        {session.node && (
          <div className="row small soft">
            <span>{t.shell.leader}</span>
            <span className="push mono clip" title={session.node}>
              {session.node}
            </span>
          </div>
        )}
        {session.mode === 'serve' && <SignOut />}
      </div>
    </nav>
  )
}

function ScopePicker({ scope }: { scope: Scope }) {
  const { t } = useText()
  const { projects } = useSession()
  const navigate = useNavigate()
  const page = useLocation().pathname.split('/')[1] || 'data'
  const ids = [...new Set([...projects.map((project) => project.id), scope.project])]
  const databases = [
    ...new Set([...(projects.find((project) => project.id === scope.project)?.databases ?? ['(default)']), scope.database]),
  ]
  return (
    <div className="scope">
      <label className="field">
        <span>{t.shell.project}</span>
        <select
          value={scope.project}
          onChange={(event) => void navigate(pagePath(page, { project: event.target.value, database: '(default)' }))}
        >
          {ids.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{t.shell.database}</span>
        <select value={scope.database} onChange={(event) => void navigate(pagePath(page, { ...scope, database: event.target.value }))}>
          {databases.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
    </div>
  )
}

function Preferences() {
  const { t, language, setLanguage } = useText()
  const [theme, setShown] = useState(currentTheme)
  return (
    <div className="two">
      <label className="field">
        <span>{t.shell.theme}</span>
        <select
          value={theme}
          onChange={(event) => {
            const next = THEMES.find((one) => one === event.target.value) ?? 'system'
            setTheme(next)
            setShown(next)
          }}
        >
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {t.shell.themes[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{t.shell.language}</span>
        <select
          value={language}
          onChange={(event) => {
            const next: Language = event.target.value === 'es' ? 'es' : 'en'
            setLanguage(next)
          }}
        >
          <option value="en">English</option>
          <option value="es">Español</option>
        </select>
      </label>
    </div>
  )
}
