import * as Tabs from '@radix-ui/react-tabs'
import { useState } from 'react'
import { Navigate, useNavigate } from 'react-router-dom'
import { Link } from '../components/link'
import '../admin/panel.css'
import { useSession } from '../admin/use-session'
import { Logo } from '../art/logo'
import { GoogleSignIn } from '../features/admin-access/google-sign-in'
import { RecoverForm } from '../features/admin-access/recover-form'
import { SignInForm } from '../features/admin-access/sign-in-form'
import { SignUpForm } from '../features/admin-access/sign-up-form'
import { es } from '../i18n/es-admin'

const PANEL = '/AdminView'

/** Sign-in and sign-up of administrators (§4.1). A signed-in administrator is redirected. */
export default function LogIn() {
  const session = useSession()
  const navigate = useNavigate()
  const [forgotten, setForgotten] = useState<string>()
  const enter = () => void navigate(PANEL, { replace: true })
  if (session.status === 'admin') return <Navigate to={PANEL} replace />
  return (
    <div className="panel">
      <main id="contenido" className="panel-acceso">
        <Link to="/" className="panel-marca-sitio" aria-label={es.access.goBackTo}>
          <Logo variant="completo" />
        </Link>
        <h1 className="sr-only">{es.access.title}</h1>
        <Tabs.Root defaultValue="entrar" className="panel-capa">
          <Tabs.List aria-label={es.access.tabs} className="panel-pestanas px-2">
            <Tabs.Trigger value="entrar" className="panel-pestana">
              {es.access.enter}
            </Tabs.Trigger>
            <Tabs.Trigger value="crear" className="panel-pestana">
              {es.access.create}
            </Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="entrar" className="p-5">
            {forgotten === undefined ? (
              <>
                <SignInForm onDone={enter} onForgotten={setForgotten} />
                <GoogleSignIn onDone={enter} />
              </>
            ) : (
              <RecoverForm email={forgotten} onBack={() => setForgotten(undefined)} />
            )}
          </Tabs.Content>
          <Tabs.Content value="crear" className="p-5">
            <SignUpForm onDone={enter} />
          </Tabs.Content>
        </Tabs.Root>
      </main>
    </div>
  )
}
