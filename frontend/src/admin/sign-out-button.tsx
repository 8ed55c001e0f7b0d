import { es } from '../i18n/es-admin'

/** Signs out; where that leads is the page's business. */
export function SignOutButton({ onSignOut }: { onSignOut: () => void }) {
  return (
    <button type="button" className="boton" onClick={onSignOut}>
      {es.panel.signOutLabel}
    </button>
  )
}
