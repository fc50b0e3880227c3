package import SallyportProtocol
import SallyportWebAuthn

/// How users are authenticated, as clients see it: the `amr` values of RFC 8176 §2, and the `acr` value that follows
/// from them.
package enum AuthenticationContext {
  /// How and when a user was authenticated: the `amr` and the `auth_time` of a session.
  package struct Evidence: Sendable, Equatable {
    package let methods: [String]
    package let time: Timestamp

    package init(_ methods: [String], at time: Timestamp) {
      self.methods = methods
      self.time = time
    }
  }

  /// The `amr` of a password.
  package static let password = ["pwd"]
  /// The `amr` of a password together with a code of an authenticator app, or with a recovery code. RFC 8176 has no
  /// value for recovery codes, which are one-time passwords too.
  package static let twoFactors = ["pwd", "otp", "mfa"]
  /// The `amr` of a passkey whose authenticator has verified the user: proof of possession of a key, presence of the
  /// user, and several factors.
  package static let passkey = ["pop", "user", "mfa"]
  /// The `amr` of a passkey whose hardware is attested.
  package static let attestedPasskey = ["hwk", "user", "mfa"]

  /// The `amr` of a sign-in through an upstream. It is empty, because RFC 8176 has no value for such a sign-in, and
  /// this server has not seen how the user was authenticated.
  package static let federated: [String] = []
  /// The `amr` of a sign-in through an upstream whose `acr` value the operator maps to two factors.
  package static let federatedTwoFactors = ["mfa"]
  /// The `amr` of a sign-in through an upstream, together with a code of this server.
  package static let federatedWithCode = ["otp", "mfa"]

  /// Whether the user signed in through an upstream.
  static func isFederated(_ methods: [String]) -> Bool {
    [self.federated, self.federatedTwoFactors, self.federatedWithCode].contains(methods)
  }

  /// The `acr` values, from weak to strong.
  package enum Level: String, CaseIterable, Comparable {
    /// A password alone, or a sign-in through an upstream without a second factor.
    case password = "1"
    /// Two factors, such as a password and a code.
    case twoFactors = "2"
    /// A factor that cannot be phished (OpenID Connect Extended Authentication Profile ACR Values 1.0 §2).
    case phishingResistant = "phr"
    /// A factor that cannot be phished, with a key in attested hardware.
    case hardwareProtected = "phrh"

    /// The level that follows from `amr` values.
    package init(of methods: [String]) {
      self =
        switch methods {
        case AuthenticationContext.attestedPasskey: .hardwareProtected
        case AuthenticationContext.passkey: .phishingResistant
        case AuthenticationContext.twoFactors, AuthenticationContext.federatedTwoFactors,
          AuthenticationContext.federatedWithCode:
          .twoFactors
        default: .password
        }
    }

    package static func < (one: Level, other: Level) -> Bool {
      // `allCases` contains every level, so the fallbacks are never used.
      (self.allCases.firstIndex(of: one) ?? 0) < (self.allCases.firstIndex(of: other) ?? 0)
    }
  }

  /// Whether a user who was authenticated with these `amr` values satisfies one of the requested `acr` values. A
  /// level also satisfies a request for a weaker level.
  static func satisfies(_ requested: [String], with methods: [String]) -> Bool {
    requested.compactMap(Level.init(rawValue:)).contains { $0 <= Level(of: methods) }
  }
}

extension ServerConfiguration {
  /// The `acr` values that the server offers.
  var authenticationContexts: [String] {
    var levels = [AuthenticationContext.Level.password, .twoFactors]
    if let passkeys = self.passkeys, self.relyingParty != nil {
      levels.append(.phishingResistant)
      if case .required = passkeys.attestation { levels.append(.hardwareProtected) }
    }
    return levels.map(\.rawValue)
  }
}
