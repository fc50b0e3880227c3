/// An upstream (another OpenID provider) that a page offers, for signing in or for connecting the account with it.
package struct UpstreamChoice: Sendable, Equatable {
  /// The identifier of the upstream.
  package var id: String
  /// The name on the button.
  package var name: String

  package init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
