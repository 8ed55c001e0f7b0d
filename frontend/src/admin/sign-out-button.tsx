import { useNavigate } from 'react-router-dom'
import { es } from '../i18n/es-admin'

/** Signs out and goes home (F-320). */
export function SignOutButton() {
  const navigate = useNavigate()
  const signOut = async () => {
    const { leave } = await import('../firebase/session')
    // Home first: without a session the panel would send its visitor to /LogIn.
    await navigate('/')
    await leave()
  }
  return (
    <button type="button" className="p-boton" onClick={() => void signOut()}>
      {es.panel.cerrarSesion}
    </button>
  )
}
