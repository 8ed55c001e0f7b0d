import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Navigate } from 'react-router-dom'
import '../admin/panel.css'
import { SignOutButton } from '../admin/sign-out-button'
import { useSession } from '../admin/use-session'
import { es } from '../i18n/es-admin'

const Panel = lazy(() => import('./admin-panel'))
// Visitors of this page usually are signed in: live queries are loaded while the session is checked.
import('../firebase/panel').catch(() => undefined)

/** The entry of the panel (F-321, D-23). Before the user is known, nothing of the panel is shown or requested. */
export default function AdminView() {
  const session = useSession()
  const [leaving, setLeaving] = useState(false)
  const signOut = async () => {
    setLeaving(true)
    const { leave } = await import('../firebase/session')
    await leave()
  }
  switch (session.status) {
    case 'out':
      // After signing out, the home page opens (F-320); without a session, the sign-in page.
      return <Navigate to={leaving ? '/' : '/LogIn'} replace />
    case 'checking':
      return <Waiting>{es.session.checking}</Waiting>
    case 'offline':
      return <Waiting>{es.session.offline}</Waiting>
    case 'denied':
      return (
        <Frame title={es.panel.title}>
          <p role="alert" className="panel-problema">
            {es.panel.noAccess}
          </p>
          <SignOutButton onSignOut={() => void signOut()} />
        </Frame>
      )
    default:
      return (
        <Suspense fallback={<Waiting>{es.session.checking}</Waiting>}>
          <Panel me={session.person} onSignOut={() => void signOut()} />
        </Suspense>
      )
  }
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <Frame title={es.access.title}>
      <p role="status">{children}</p>
    </Frame>
  )
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="panel">
      <main id="contenido" className="panel-acceso grid justify-items-start gap-4">
        <h1 className="panel-titulo text-[20px]">{title}</h1>
        {children}
      </main>
    </div>
  )
}
