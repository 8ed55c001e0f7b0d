import { Component, type ReactNode } from 'react'
import { renewFailed } from '../lib/renewable'
import { Problem } from './states'

type State = { failed: boolean; error: unknown }

/**
 * Shows an error of its children in their place, with a button that reloads the page. Code that could not be loaded is
 * loaded again when its page is opened again.
 */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: false, error: null }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, error }
  }

  override componentDidCatch(): void {
    renewFailed()
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return <Problem error={this.state.error} retry={() => location.reload()} />
  }
}
