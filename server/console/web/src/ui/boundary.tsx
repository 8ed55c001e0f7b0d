import { Component, type ReactNode } from 'react'
import { Problem } from './states'

type State = { failed: boolean; error: unknown }

/** Shows a failure of what it contains in its place, with a way to load the page anew. */
export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: false, error: null }

  static getDerivedStateFromError(error: unknown): State {
    return { failed: true, error }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return <Problem error={this.state.error} retry={() => location.reload()} />
  }
}
