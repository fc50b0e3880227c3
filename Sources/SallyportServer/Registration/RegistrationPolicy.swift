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

  public var mode: Mode
  /// Whether a client identifier may be the URL of the client's metadata document. It needs a transport to fetch it with.
  public var acceptsDocuments = true
  /// The most that such a client may ask people for.
  public var scope: Scope = "openid profile email offline_access"
  /// Private-use schemes without a period that redirect URIs may have, such as `cursor` (RFC 8252 §7.1, §8.4). Reserved schemes are never
  /// accepted.
  public var schemes: Set<String> = []
  /// Whether such clients may use the device grant. Off by default: a user who enters a code from a message signs in the sender's device
  /// (RFC 8628 §5.4), and nothing about the app has been checked.
  public var allowsDeviceGrant = false
  /// Hosts, with the port unless it is 443, whose client-ID documents may be at private addresses. All other documents must be on the
  /// public internet.
  public var documentHosts: Set<String> = []
  /// Registered clients that there may be at a time; and as many that are known by a document. When there are so many, a new one replaces
  /// the oldest that never obtained a grant.
  public var maximumClients = 10_000
  /// Registrations in a minute, and documents fetched in one.
  ///
  /// All who register without a token get half together, and one address 5 %: 12 a minute.
  public var perMinute = 240
  /// A client that nobody has granted anything to goes after this time.
  public var unusedLifetime: Duration = .seconds(7 * 86_400)

  /// - Parameter mode: Who may register. Off by default, since anybody who can register an app can show users a consent page for it.
  public init(mode: Mode = .off) {
    self.mode = mode
  }
}
