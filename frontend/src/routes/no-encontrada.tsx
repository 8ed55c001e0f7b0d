import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { Link } from '../components/link'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { t } from '../i18n/es'
import { routeInLowerCase } from '../paths'

/** The page of an address that does not exist. The server sends it with status 404 (D-27). Its caller may give the reason. */
export default function NotFound({ text = t.notFound.text }: { text?: string }) {
  const { pathname, search, hash } = useLocation()
  const wantedNow = routeInLowerCase(pathname)
  const navigate = useNavigate()
  useEffect(() => {
    if (wantedNow) void navigate({ pathname: wantedNow, search, hash }, { replace: true })
  }, [navigate, wantedNow, search, hash])
  return (
    <div className="contenedor grid items-center gap-10 py-16 md:grid-cols-2">
      <div>
        <h1 className="titulo-1">{t.notFound.title}</h1>
        <p className="entrada mt-5 mb-7">{text}</p>
        <div className="flex flex-wrap gap-4">
          <Link to="/" className={buttonClasses('primario')}>
            {t.notFound.inicio}
          </Link>
          <Link to="/calendario" className={buttonClasses()}>
            {t.notFound.calendar}
          </Link>
        </div>
      </div>
      <Plate slot="no-encontrada" ink="mar" className="mr-2" priority />
    </div>
  )
}
