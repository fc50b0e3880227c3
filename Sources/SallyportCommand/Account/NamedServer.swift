import ArgumentParser
import SallyportProtocol

/// A server as a user names it: a provider, or an issuer identifier.
enum NamedServer: Equatable {
  case provider(Provider)
  case issuer(Issuer)

  /// - Throws: `ValidationError`
  init(_ text: String) throws {
    let name = text.prefix { $0 != ":" }.lowercased()
    if Provider.Name(rawValue: name) != nil {
      self = .provider(try Provider(text))
      return
    }
    let issuer = try Arguments.issuer(text)
    // If the issuer belongs to a known provider, use the provider's preset, which has settings that the server needs.
    switch Provider.advice(for: issuer) {
    case .require(let provider), .prefer(let provider): self = .provider(try Provider(provider))
    case .impossible(let name): throw Provider.loopbackRedirectsRejected(by: name)
    case nil: self = .issuer(issuer)
    }
  }
}
