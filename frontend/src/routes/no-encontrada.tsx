import { useEffect } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { Lamina } from '../art/lamina'
import { boton } from '../components/boton'
import { t } from '../i18n/es'
import { rutaSinMayusculas } from '../rutas'

/** What stands under an address that doesn't exist; the server answers 404 with it (D-27). The page may know why. */
export default function NoEncontrada({ texto = t.noEncontrada.texto }: { texto?: string }) {
  const { pathname, search, hash } = useLocation()
  const querida = rutaSinMayusculas(pathname)
  const navegar = useNavigate()
  useEffect(() => {
    if (querida) void navegar({ pathname: querida, search, hash }, { replace: true })
  }, [navegar, querida, search, hash])
  return (
    <div className="contenedor grid items-center gap-10 py-16 md:grid-cols-2">
      <div>
        <h1 className="titulo-1">{t.noEncontrada.titulo}</h1>
        <p className="entrada mt-5 mb-7">{texto}</p>
        <div className="flex flex-wrap gap-4">
          <Link to="/" className={boton('primario')}>
            {t.noEncontrada.inicio}
          </Link>
          <Link to="/calendario" className={boton()}>
            {t.noEncontrada.calendario}
          </Link>
        </div>
      </div>
      <Lamina slot="no-encontrada" tinta="mar" className="mr-2" priority />
    </div>
  )
}
