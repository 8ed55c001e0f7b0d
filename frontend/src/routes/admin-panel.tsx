import * as Tabs from '@radix-ui/react-tabs'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { Link } from '../components/link'
import { PanelDataProvider } from '../admin/data/panel-data'
import { SignOutButton } from '../admin/sign-out-button'
import { Toasts } from '../admin/ui/toasts'
import { Logo } from '../art/logo'
import { EventsTab } from '../features/admin-events/events-tab'
import { ContactsTab, NewsletterTab, RentalsTab, VolunteersTab } from '../features/admin-forms/tabs'
import { PeopleTab } from '../features/admin-people/people-tab'
import { ErasePerson } from '../features/admin-privacy/erase-person'
import { NewsList } from '../features/admin-summary/news-list'
import { Summary } from '../features/admin-summary/summary'
import { useRecent } from '../features/admin-summary/use-recent'
import type { Person } from '../firebase/session'
import { es } from '../i18n/es-admin'
import { ThemeButton } from '../layout/theme-button'

/** The tabs in order (F-322). Their names are in the URL. */
const tabs: readonly { name: keyof typeof es.tabs; content: ReactNode }[] = [
  { name: 'administradores', content: <PeopleTab /> },
  { name: 'eventos', content: <EventsTab /> },
  { name: 'boletin', content: <NewsletterTab /> },
  { name: 'voluntarios', content: <VolunteersTab /> },
  { name: 'contactos', content: <ContactsTab /> },
  { name: 'instrumentos', content: <RentalsTab /> },
]

/** The panel, for administrators only. */
export default function AdminPanel({ me, onSignOut }: { me: Person; onSignOut: () => void }) {
  return (
    <div className="panel">
      <PanelDataProvider me={me}>
        <Toasts>
          <PanelHeader name={me.displayName || me.email || me.uid} onSignOut={onSignOut} />
          <main id="contenido" className="panel-ancho grid grid-cols-[minmax(0,1fr)] gap-4 pb-24">
            <Board />
            <div className="mt-4">
              <ErasePerson />
            </div>
          </main>
        </Toasts>
      </PanelDataProvider>
    </div>
  )
}

/** The summary and the tabs. Without a tab in the address, the new forms are shown. */
function Board() {
  const [params, setParams] = useSearchParams()
  const [now] = useState(() => new Date())
  const recent = useRecent(now)
  const open = tabs.find(({ name }) => name === params.get('tab'))?.name ?? ''
  const list = useRef<HTMLDivElement>(null)
  // On narrow screens the tabs extend beyond the edge: the open one is scrolled into view.
  useEffect(() => {
    if (open) list.current?.querySelector(`[data-tab=${open}]`)?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [open])
  // A tab begins without the filters of the previous one.
  const choose = (tab: string) => setParams({ tab }, { replace: true, preventScrollReset: true })
  return (
    <>
      <Summary recent={recent} now={now} />
      <Tabs.Root value={open} onValueChange={choose}>
        <Tabs.List ref={list} aria-label={es.panel.sections} className="panel-pestanas mb-4">
          {tabs.map(({ name }) => (
            <Tabs.Trigger key={name} value={name} data-tab={name} className="panel-pestana">
              {es.tabs[name]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {open ? null : <NewsList recent={recent} />}
        {tabs.map(({ name, content }) => (
          <Tabs.Content key={name} value={name}>
            {content}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </>
  )
}

function PanelHeader({ name, onSignOut }: { name: string; onSignOut: () => void }) {
  return (
    <header className="panel-cabecera">
      <div className="panel-ancho flex flex-wrap items-center gap-x-4 gap-y-1 py-3">
        <Link to="/" className="panel-marca-sitio" aria-label={es.site}>
          <Logo variant="marca" />
        </Link>
        <h1 className="panel-titulo text-[20px]">
          <Link to="/AdminView">{es.panel.title}</Link>
        </h1>
        <p className="panel-quien">{name}</p>
        <ThemeButton className="panel-icono" />
        <SignOutButton onSignOut={onSignOut} />
      </div>
    </header>
  )
}
