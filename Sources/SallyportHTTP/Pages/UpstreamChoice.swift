/// A provider that the sign-in page offers.
package struct UpstreamChoice: Sendable, Equatable {
  /// The identifier of the upstream.
  package var id: String
  package var name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
