/// A provider that the sign-in page offers.
package struct UpstreamChoice: Sendable, Equatable {
  /// The providers for the sign-in page of the current request. Set by `UpstreamChoices`, so that the code of the
  /// sign-in need not know about providers.
  @TaskLocal static var current: [UpstreamChoice] = []

  /// The identifier of the upstream.
  package var id: String
  package var name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
