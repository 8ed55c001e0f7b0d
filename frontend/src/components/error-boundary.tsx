import { Component, type ReactNode, useEffect } from 'react'
import { site } from '../content/sitio'
import { t } from '../i18n/es'
import { buttonClasses } from './button-classes'

type Props = { children: ReactNode }

/** What keeps a page from being shown: nothing, a part that did not come over the line, or a mistake of ours. */
type Failure = 'ninguno' | 'linea' | 'error'

/** Whether a script did not arrive: each browser has its own words for a failed import(), all of them are TypeErrors. */
const isLine = (error: unknown) => !navigator.onLine || (error instanceof TypeError && /import|module|fetch/i.test(error.message))

/** Shows a way on where a page breaks, instead of a blank screen. */
export class ErrorBoundary extends Component<Props, { failure: Failure }> {
  override state: { failure: Failure } = { failure: 'ninguno' }

  static getDerivedStateFromError(error: unknown): { failure: Failure } {
    return { failure: isLine(error) ? 'linea' : 'error' }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
  }

  override render() {
    if (this.state.failure === 'linea') return <Offline onReturn={() => this.setState({ failure: 'ninguno' })} />
    if (this.state.failure === 'ninguno') return this.props.children
    return (
      <div className="contenedor py-20" role="alert">
        <h1 className="titulo-1">{t.failure.title}</h1>
        <p className="entrada mt-5 mb-7">{t.failure.text}</p>
        <button type="button" className={buttonClasses('primario')} onClick={() => location.reload()}>
          {t.failure.recargar}
        </button>
      </div>
    )
  }
}

/** A page that was never loaded, while the browser is offline: it is requested again when the browser is online. */
function Offline({ onReturn }: { onReturn: () => void }) {
  const { offline } = t
  useEffect(() => {
    addEventListener('online', onReturn)
    return () => removeEventListener('online', onReturn)
  }, [onReturn])
  return (
    <div className="contenedor py-20" role="alert">
      <h1 className="titulo-1">{offline.title}</h1>
      <p className="entrada mt-5 mb-7">{offline.text}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" className={buttonClasses('primario')} onClick={onReturn}>
          {offline.retry}
        </button>
        <button type="button" className={buttonClasses()} onClick={() => history.back()}>
          {offline.goBackTo}
        </button>
        <a className={buttonClasses()} href={site.phoneLink}>
          {offline.callOut}
        </a>
      </div>
    </div>
  )
}
