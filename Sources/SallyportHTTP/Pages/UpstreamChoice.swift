/// An upstream (another OpenID provider) with which users can sign in on the sign-in page.
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
