import { lazy, Suspense, type ReactNode } from 'react'
import { Navigate } from 'react-router-dom'
import '../admin/panel.css'
import { SignOutButton } from '../admin/sign-out-button'
import { useSession } from '../admin/use-session'
import { es } from '../i18n/es-admin'

const Panel = lazy(() => import('./admin-panel'))

/** The panel's door (F-321, D-23): nothing of the panel is shown, or asked of the server, before it is known who comes. */
export default function AdminView() {
  const session = useSession()
  switch (session.status) {
    case 'out':
      return <Navigate to="/LogIn" replace />
    case 'checking':
      return <Waiting>{es.sesion.comprobando}</Waiting>
    case 'offline':
      return <Waiting>{es.sesion.sinConexion}</Waiting>
    case 'denied':
      return (
        <Frame>
          <p role="alert" className="p-problema">
            {es.panel.sinAcceso}
          </p>
          <SignOutButton />
        </Frame>
      )
    default:
      return (
        <Suspense fallback={<Waiting>{es.sesion.comprobando}</Waiting>}>
          <Panel me={session.person} />
        </Suspense>
      )
  }
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <Frame>
      <p role="status">{children}</p>
    </Frame>
  )
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="panel">
      <main id="contenido" className="p-acceso grid justify-items-start gap-4">
        <h1 className="p-titulo text-[20px]">{es.panel.titulo}</h1>
        {children}
      </main>
    </div>
  )
}
