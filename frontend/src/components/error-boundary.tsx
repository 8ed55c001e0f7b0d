import { Component, type ReactNode, useEffect } from 'react'
import { site } from '../content/sitio'
import { t } from '../i18n/es'
import { buttonClasses } from './button-classes'

type Props = { children: ReactNode }

/** Why a page cannot be shown: nothing, a script that was not loaded, or a bug. */
type Failure = 'ninguno' | 'linea' | 'error'

/** Whether a script was not loaded. The message of a failed import() differs between browsers, but it is always a TypeError. */
const isLine = (error: unknown) => !navigator.onLine || (error instanceof TypeError && /import|module|fetch/i.test(error.message))

/** Shows links in place of a page that fails, instead of a blank screen. */
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
          {t.failure.reload}
        </button>
      </div>
    )
  }
}

/** A page that was not loaded because the browser is offline. It is requested again when the browser is online. */
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
