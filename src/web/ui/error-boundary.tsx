import { Component, type ReactNode } from "react";

type Props = { readonly fallback: (reset: () => void) => ReactNode; readonly children: ReactNode };

export class ErrorBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (this.state.hasFailed) return this.props.fallback(() => this.setState({ hasFailed: false }));
    return this.props.children;
  }
}
