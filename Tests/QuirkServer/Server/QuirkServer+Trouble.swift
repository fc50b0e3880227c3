import Synchronization

extension QuirkServer {
  /// How the provider departs from its usual behavior.
  package enum Trouble: Sendable, Equatable {
    /// The user denies every authorization request.
    case userDenies
    /// The client's secret has been replaced.
    case secretReplaced
    /// Every response has this status.
    case unavailable(status: Int)
  }

  /// The current trouble, or `nil` if there is none.
  package var trouble: Trouble? {
    get { self.state.withLock { $0.trouble } }
    set { self.state.withLock { $0.trouble = newValue } }
  }

  /// The lifetime of new access tokens in seconds, or `nil` for the provider's own.
  package var lifetime: Int? {
    get { self.state.withLock { $0.lifetime } }
    set { self.state.withLock { $0.lifetime = newValue } }
  }
}
