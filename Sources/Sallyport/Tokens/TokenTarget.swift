public import SallyportProtocol

/// What an access token is for, if it is not the session's own token: other APIs, or another scope.
///
/// A session requests such a token with its refresh token, without the user. For a server with resource indicators (RFC
/// 8707 §2.2), name the API:
///
/// ```swift
/// let billing = TokenTarget(resources: [try ResourceIndicator("https://billing.example.com/")])
/// let response = try await session.send(request, for: billing)
/// ```
///
/// Microsoft Entra recognizes the API by its scopes (RFC 6749 §6), and Auth0 by the parameter `audience`.
public struct TokenTarget: Equatable, Sendable {
  /// The requested scope, or an empty scope to let the server decide. The granted scope can be narrower; see
  /// ``AccessToken/scope``.
  public var scope: Scope
  /// The APIs that the token is for (RFC 8707), or an empty array for the APIs of the sign-in.
  public var resources: [ResourceIndicator]
  /// Parameters of the refresh request that a particular server requires, such as Auth0's `audience`. They replace
  /// parameters of the server's configuration with the same names.
  public var parameters: AdditionalParameters
  /// The URLs whose origins may receive the token if none of ``resources`` is a URL. These URLs are not sent to the
  /// server.
  ///
  /// If this array is empty, and ``resources`` contains only values that are not URLs, the token may be sent to the
  /// client's `tokenOrigins`. If both arrays are empty, it may be sent to the same origins as the session's own token.
  public var tokenOrigins: [EndpointURL]

  /// Creates a target. The properties with the same names describe the parameters. Without arguments, the target is
  /// the session's own token.
  public init(
    scope: Scope = [], resources: [ResourceIndicator] = [], parameters: AdditionalParameters = .none,
    tokenOrigins: [EndpointURL] = []
  ) {
    self.scope = scope
    self.resources = resources
    self.parameters = parameters
    self.tokenOrigins = tokenOrigins
  }

  /// The session's own token.
  static let own = TokenTarget()
}

extension TokenTarget {
  /// The normalized form of a target, under which its token is stored. The order of scope values, resources, and
  /// parameters doesn't matter. ``tokenOrigins`` are not part of the key, because the server doesn't receive them.
  struct Key: Codable, Hashable, Sendable {
    // An empty list is stored as nil, so that the encoded key omits it.
    private var scope: [String]?
    private var resources: [String]?
    private var parameters: [String]?

    init(_ target: TokenTarget) {
      self.scope = Self.sorted(target.scope.tokens)
      self.resources = Self.sorted(target.resources.map(\.value))
      self.parameters = Self.sorted(target.parameters.values.map { FormParameters.encode([$0]) })
    }

    /// Whether this is the target of the session's own token.
    var isOwn: Bool { self == Self.own }

    private static let own = Key(.own)

    private static func sorted(_ values: [String]) -> [String]? {
      values.isEmpty ? nil : Set(values).sorted()
    }
  }

  var key: Key { Key(self) }
}
