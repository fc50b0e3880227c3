package import SallyportLanguages
public import SallyportProtocol

/// The operator's settings for a server, such as its issuer, lifetimes, and limits.
public struct ServerConfiguration: Sendable {
  public var issuer: Issuer
  /// The name that users see on the pages.
  public var name: String
  public var lifetimes: Lifetimes
  /// The algorithm with which access tokens are signed. Tokens of clients that are registered for FAPI 2.0 are always
  /// signed with ES256.
  public var accessTokenAlgorithm = AccessTokenAlgorithm.es256
  /// Whether `localhost` redirect URIs of operators' clients match any port, as loopback IP literals always do. Off by
  /// default, because the name may resolve to another address (RFC 8252 §8.3, rule S-07).
  public var allowsAnyLocalhostPort = false
  /// The resources for which tokens can be requested (RFC 8707); nil to allow any resource. Allowing any resource is
  /// safe, because a token is valid only for the resources that it names.
  public var resources: [String]?
  /// The maximum number of pushed requests per client and minute. The same maximum applies to device codes and to
  /// fetched request objects. Each of the three is counted separately.
  ///
  /// Only a confidential client that an operator registered can use the whole limit, because anyone can send requests
  /// in the name of a public client, or register a client. All other clients get at most half of the limit, and
  /// requests from one address at most 5%: by default 60 per minute for all users behind the same NAT. These shares
  /// also apply to every request object, because a browser makes the server fetch it. The share of one address also
  /// limits sign-ins through upstreams.
  public var requestsPerMinute = 1_200
  /// Who may register clients. By default, registration is open if the issuer is an `http` URL, because such an issuer
  /// is always on loopback, and otherwise off.
  public var registration: RegistrationPolicy
  /// The limits for failed sign-ins.
  public var signIn = SignInLimits()
  /// The `acr` values that grants require, such as `phr`, by scope value. A grant whose scope contains one of these
  /// scope values is issued only if the user was authenticated at the level of its `acr` value or at a stronger one.
  ///
  /// ``ClientDetails/requiredContext`` is the requirement for a client.
  public var requiredContexts: [String: String] = [:]
  /// How long an audit record is kept. The default is a year and a month, so that a month can be compared with the same
  /// month of the previous year.
  package var auditRetention: Duration = .seconds(400 * 86_400)
  /// Whether users can delete their own accounts.
  public var allowsAccountDeletion = false
  /// What happens when a user signs in with an embedded web view. ``ClientDetails/webViews`` overrides this setting for
  /// a client.
  public var webViews = WebViewPolicy.block
  /// The sender of mail; nil to send no mail.
  package var mail: MailPolicy?
  /// Who can create an account. A policy other than ``SignUpPolicy/off`` requires ``mail``.
  package var signUp = SignUpPolicy.off
  /// The maximum number of mails that visitors who sign up can cause within an hour, from all networks together.
  package var signUpsPerHour = 100
  /// The rules for new passwords. The server's name and host are added to ``PasswordPolicy/serverNames``.
  public var passwords = PasswordPolicy()

  /// The language of pages and mail if neither the user, nor the app, nor the browser asks for another one.
  package var language = Language.english

  /// How users can sign in with passkeys; nil to offer no passkeys.
  public var passkeys: PasskeyPolicy? = PasskeyPolicy()

  /// - Parameters:
  ///   - issuer: An `https` URL, or an `http` URL on loopback, which the type ensures (RFC 6749 §3.1, rule S-33).
  ///   - name: The name that users see; nil for the issuer's host.
  ///   - lifetimes: How long codes, tokens, and sessions are valid.
  public init(issuer: Issuer, name: String? = nil, lifetimes: Lifetimes = Lifetimes()) {
    self.issuer = issuer
    self.name = name ?? issuer.host
    self.lifetimes = lifetimes
    self.registration = RegistrationPolicy(mode: issuer.isHTTPS ? .off : .open)
  }

  /// Whether anyone can create an account.
  package var offersSignUp: Bool { self.signUp == .open && self.mail != nil }

  /// The password rules with the server's names.
  var passwordPolicy: PasswordPolicy {
    var policy = self.passwords
    policy.serverNames += [self.name, self.issuer.host]
    return policy
  }
}
