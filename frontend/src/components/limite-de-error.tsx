import { Component, type ReactNode } from 'react'
import { t } from '../i18n/es'
import { boton } from './boton'

type Props = { children: ReactNode }

/** Shows a way on where a page breaks, instead of a blank screen. */
export class LimiteDeError extends Component<Props, { roto: boolean }> {
  override state = { roto: false }

  static getDerivedStateFromError() {
    return { roto: true }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (!this.state.roto) return this.props.children
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
