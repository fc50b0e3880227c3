public import SallyportProtocol

/// Who may register clients without an operator, and how many (RFC 7591, OAuth Client ID Metadata Document).
///
/// No operator has checked these clients. Users see that the clients are unverified, must give consent each time, and
/// are not redirected to them without user interaction.
public struct RegistrationPolicy: Sendable {
  public enum Mode: String, Sendable, CaseIterable {
    /// Clients cannot register themselves.
    case off
    /// A client needs an initial access token to register (RFC 7591 §3).
    case token
    /// Any client can register.
    case open
  }

  public var mode: Mode
  /// Whether a client ID can be the URL of the client's metadata document. Documents are accepted only if the server
  /// has a transport with which it can fetch them.
  public var acceptsDocuments = true
  /// The maximum scope of a client that no operator registered.
  public var scope: Scope = "openid profile email offline_access"
  /// Private-use schemes without a period that redirect URIs may use, such as `cursor` (RFC 8252 §7.1, §8.4). Reserved
  /// schemes are never accepted.
  public var schemes: Set<String> = []
  /// Whether clients that no operator registered may use the device grant. Off by default: a user who enters a code
  /// from a message signs in the sender's device (RFC 8628 §5.4), and no operator has checked the app.
  public var allowsDeviceGrant = false
  /// Hosts whose client metadata documents may be at private addresses, in lowercase, such as `apps.example` or
  /// `apps.example:8443`. A host has no port if the port is 443. All other documents must be on the public internet.
  public var documentHosts: Set<String> = []
  /// The maximum number of dynamic clients, and separately of clients with a metadata document. At the maximum, a new
  /// client replaces the one whose ``unusedLifetime`` ends first among those that have never obtained a grant.
  public var maximumClients = 10_000
  /// The quota per minute for registrations, and separately for each kind of document that the server fetches for
  /// clients that no operator registered.
  ///
  /// All registrations without an initial access token together get at most half of the quota, and one address gets at
  /// most 5%, by default 12 per minute. A registration with an initial access token does not count toward the quota.
  /// The same shares apply to documents that are fetched for clients that have never obtained a grant.
  public var perMinute = 240
  /// How long a client without grants is kept after the latest of these events: it was registered, its metadata
  /// document was fetched, or it obtained a grant that has ended since.
  public var unusedLifetime: Duration = .seconds(7 * 86_400)

  /// - Parameter mode: Who may register. Off by default, because anyone who can register a client can show users a
  ///   consent page for it.
  public init(mode: Mode = .off) {
    self.mode = mode
  }
}
