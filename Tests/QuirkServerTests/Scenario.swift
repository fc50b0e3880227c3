import QuirkServer
import Sallyport
import SallyportProtocol
import Testing

/// How an app uses a provider.
struct Scenario: Sendable, CustomTestStringConvertible {
  let provider: QuirkyProvider
  let server: ServerConfiguration
  /// The scope of the sign-in.
  let scope: Scope
  /// A scope that the app requests in a later sign-in.
  let furtherScope: Scope
  /// The client secret, if the provider requires one.
  var secret: Secret<String>?
  /// The `sub` of the signed-in user, if the provider issues ID tokens.
  var subject: String? { self.provider.issuer == nil ? nil : "ada" }

  var testDescription: String { self.provider.name }
}
