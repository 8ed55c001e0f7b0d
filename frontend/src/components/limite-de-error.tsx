import { Component, type ReactNode, useEffect } from 'react'
import { sitio } from '../content/sitio'
import { t } from '../i18n/es'
import { boton } from './boton'

type Props = { children: ReactNode }

/** What keeps a page from being shown: nothing, a part that did not come over the line, or a mistake of ours. */
type Fallo = 'ninguno' | 'linea' | 'error'

/** Whether a script did not arrive: each browser has its own words for a failed import(), all of them are TypeErrors. */
const esDeLinea = (error: unknown) => !navigator.onLine || (error instanceof TypeError && /import|module|fetch/i.test(error.message))

/** Shows a way on where a page breaks, instead of a blank screen. */
export class LimiteDeError extends Component<Props, { fallo: Fallo }> {
  override state: { fallo: Fallo } = { fallo: 'ninguno' }

  static getDerivedStateFromError(error: unknown): { fallo: Fallo } {
    return { fallo: esDeLinea(error) ? 'linea' : 'error' }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (this.state.fallo === 'linea') return <SinConexion alVolver={() => this.setState({ fallo: 'ninguno' })} />
    if (this.state.fallo === 'ninguno') return this.props.children
    return (
      <div className="contenedor py-20" role="alert">
        <h1 className="titulo-1">{t.fallo.titulo}</h1>
        <p className="entrada mt-5 mb-7">{t.fallo.texto}</p>
        <button type="button" className={boton('primario')} onClick={() => location.reload()}>
          {t.fallo.recargar}
        </button>
      </div>
    )
  }
}

/** A page that has never been here, while the line is away: it is asked for again when the line is back. */
function SinConexion({ alVolver }: { alVolver: () => void }) {
  const { sinConexion } = t
  useEffect(() => {
    addEventListener('online', alVolver)
    return () => removeEventListener('online', alVolver)
  }, [alVolver])
  return (
    <div className="contenedor py-20" role="alert">
      <h1 className="titulo-1">{sinConexion.titulo}</h1>
      <p className="entrada mt-5 mb-7">{sinConexion.texto}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" className={boton('primario')} onClick={alVolver}>
          {sinConexion.reintentar}
        </button>
        <button type="button" className={boton()} onClick={() => history.back()}>
          {sinConexion.volver}
        </button>
        <a className={boton()} href={sitio.telefonoEnlace}>
          {sinConexion.llamar}
        </a>
      </div>
    </div>
  )
}
