import Synchronization

extension QuirkServer {
  /// A problem that the provider simulates.
  package enum SimulatedFailure: Sendable, Equatable {
    /// The user denies every authorization request.
    case userDenies
    /// The client's secret has been replaced.
    case secretReplaced
    /// Every response has this status.
    case unavailable(status: Int)
  }

  package var simulatedFailure: SimulatedFailure? {
    get { self.state.withLock { $0.simulatedFailure } }
    set { self.state.withLock { $0.simulatedFailure = newValue } }
  }

  /// The lifetime of new access tokens in seconds, or `nil` for the provider's usual lifetime.
  package var lifetime: Int? {
    get { self.state.withLock { $0.lifetime } }
    set { self.state.withLock { $0.lifetime = newValue } }
  }
}
