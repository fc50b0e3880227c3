public import SallyportProtocol

/// What an operator decides about a server: who it is, and how long things live.
public struct ServerConfiguration: Sendable {
  public var issuer: Issuer
  /// The name that people see on the pages.
  public var name: String
  public var lifetimes: Lifetimes
  /// Whether a redirect URI on `localhost` of an operator's client matches on any port, as those on the loopback literals always do. Off by
  /// default, since the name may resolve to another address (RFC 8252 §8.3, rule S-07).
  public var allowsAnyLocalhostPort = false
  /// The resources that tokens may be asked for (RFC 8707); nil for any. A token is good for the resource that it names and no other,
  /// so a strange one gives nobody anything.
  public var resources: [String]?
  /// How many pushed requests, and how many device codes, a client may ask for in a minute.
  ///
  /// Anyone can ask in the name of a public client: all such callers together get half, and one address 5 %, which is 60 a minute for
  /// everyone behind the NAT of a company.
  public var requestsPerMinute = 1_200
  /// Who may register clients without an operator. Registration is open by default only if the issuer is on loopback.
  public var registration: RegistrationPolicy
  /// How many sign-ins may fail.
  public var signIn = SignInLimits()
  /// Which passwords accounts may have, besides those that contain little more than the server's own names.
  public var passwords = PasswordPolicy()

  /// - Parameters:
  ///   - issuer: `https`, or `http` on loopback: the type has no other value (RFC 6749 §3.1, rule S-33).
  ///   - name: The name that users see; nil for the issuer's host.
  ///   - lifetimes: How long codes, tokens and sessions live.
  public init(issuer: Issuer, name: String? = nil, lifetimes: Lifetimes = Lifetimes()) {
    self.issuer = issuer
    self.name = name ?? issuer.host
    self.lifetimes = lifetimes
    self.registration = RegistrationPolicy(mode: issuer.isHTTPS ? .off : .open)
  }

  /// The policy for passwords, with the server's own names.
  var passwordPolicy: PasswordPolicy {
    var policy = self.passwords
    policy.serverNames += [self.name, self.issuer.host]
    return policy
  }
}

/// How long codes, tokens and sessions live.
public struct Lifetimes: Sendable {
  /// RFC 6749 §4.1.2 recommends ten minutes at most.
  public var authorizationCode: Duration = .seconds(60)
  public var accessToken: Duration = .seconds(600)
  public var idToken: Duration = .seconds(600)
  /// A refresh token that is not used for so long ends.
  public var refreshTokenIdle: Duration = .seconds(30 * 86_400)
  /// A grant ends so long after the person agreed, used or not.
  public var grant: Duration = .seconds(365 * 86_400)
  /// How long a replaced refresh token still returns its successor, for clients that lost the response (the reuse interval).
  ///
  /// The FAPI 2.0 conformance suite repeats a refresh after 31 seconds and requires success (§5.3.2.1 number 9).
  public var lostReplyWindow: Duration = .seconds(60)
  /// From the authorization request to the person's decision.
  public var interaction: Duration = .seconds(30 * 60)
  /// From the pushed request to its use, RFC 9126 §2.2: as long as a person may take to carry the address to another machine.
  public var pushedRequest: Duration = .seconds(600)
  /// From the device's request to the person's decision and the device's last poll, RFC 8628 §3.2.
  public var deviceCode: Duration = .seconds(600)
  public var browserSessionIdle: Duration = .seconds(14 * 86_400)
  public var browserSession: Duration = .seconds(90 * 86_400)
  /// A new signing key is published so long before it signs, so that caches of the JWKS know it by then.
  public var keyPublicationLead: Duration = .seconds(600)
  /// How long others may cache the JWKS; shorter than the lead.
  public var jwksCache: Duration = .seconds(300)
  /// A key that signs no more stays published so long, for the tokens that it has signed.
  package var keyPublicationTail: Duration { max(self.accessToken, self.idToken) + .seconds(3600) }

  public init() {}
}
