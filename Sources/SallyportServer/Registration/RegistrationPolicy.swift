public import SallyportProtocol

/// Who may register clients without an operator, and how many (RFC 7591, OAuth Client ID Metadata Document).
///
/// Nobody vouches for such clients: people see that they are unverified, are asked each time, and are never sent on unasked.
public struct RegistrationPolicy: Sendable {
  public enum Mode: String, Sendable, CaseIterable {
    /// Clients are registered by operators alone.
    case off
    /// Who has an initial access token may register, RFC 7591 §3.
    case token
    /// Everybody may register.
    case open
  }

  public var mode = Mode.open
  /// Whether a client identifier may be the URL of the client's metadata document. It needs a transport to fetch it with.
  public var acceptsDocuments = true
  /// The most that such a client may ask people for.
  public var scope: Scope = "openid profile email offline_access"
  /// Registered clients that there may be at a time; and as many that are known by a document.
  public var maximumClients = 10_000
  /// Registrations in a minute, and documents fetched in one.
  public var perMinute = 60
  /// A client that nobody has granted anything to goes after this time.
  public var unusedLifetime: Duration = .seconds(7 * 86_400)

  public init() {}
}
