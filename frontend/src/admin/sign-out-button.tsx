import { es } from '../i18n/es-admin'

/** Signs out. The page handles the navigation afterwards. */
export function SignOutButton({ onSignOut }: { onSignOut: () => void }) {
  return (
    <button type="button" className="boton" onClick={onSignOut}>
      {es.panel.signOutLabel}
    </button>
  )
}
