import { Component, type ComponentChildren } from 'preact'
import { Problem } from './problem.tsx'

interface BoundaryProps {
  readonly children: ComponentChildren
}

/** Keeps a view that fails from taking the page with it. */
export class Boundary extends Component<BoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return <Problem error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
  }
}
