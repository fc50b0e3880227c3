/// A setting of `sallyportd serve`.
///
/// Each setting has one name: `listen.port` in the file is `SALLYPORTD_LISTEN_PORT` in the environment and, if there is
/// a flag, `--port` on the command line.
enum Setting: String, CaseIterable, Sendable {
  case data, database, issuer, name, language, resources, proxies
  case listenHost = "listen.host"
  case listenPort = "listen.port"
  case tlsCertificate = "tls.certificate"
  case tlsKey = "tls.key"
  case connectionsLimit = "connections.limit"
  case connectionsPerAddress = "connections.per-address"
  case connectionsBodyRate = "connections.body-rate"
  case failuresPerSecond = "connections.failures-per-second"
  case connectionsIdle = "connections.idle"
  case connectionsRequest = "connections.request"
  case signInPerAccount = "sign-in.failures-per-account"
  case signInPerAddress = "sign-in.failures-per-address"
  case passkeys = "passkeys.enabled"
  case passkeysRelyingPartyID = "passkeys.rp-id"
  case passkeysOrigins = "passkeys.origins"
  case passkeysAuthenticators = "passkeys.authenticators"
  case passkeysRoots = "passkeys.attestation-roots"
  case accountDeletion = "accounts.deletion"
  case signUp = "accounts.sign-up"
  case signUpsPerHour = "accounts.sign-ups-per-hour"
  case webViews = "web-views"
  case scopesRequiredContexts = "scopes.require-acr"
  case mailCommand = "mail.command"
  case mailFrom = "mail.from"
  case mailName = "mail.name"
  case anyLocalhostPort = "redirects.any-localhost-port"
  case requestsPerMinute = "clients.requests-per-minute"
  case registrationMode = "registration.mode"
  case registrationScope = "registration.scope"
  case registrationDocuments = "registration.client-documents"
  case registrationDocumentHosts = "registration.document-hosts"
  case registrationSchemes = "registration.schemes"
  case registrationDevice = "registration.device"
  case registrationPerMinute = "registration.per-minute"
  case registrationLimit = "registration.limit"
  case registrationUnused = "registration.unused"
  case codeLifetime = "lifetimes.authorization-code"
  case accessTokenLifetime = "lifetimes.access-token"
  case idTokenLifetime = "lifetimes.id-token"
  case refreshTokenIdle = "lifetimes.refresh-token-idle"
  case grantLifetime = "lifetimes.grant"
  case reuseInterval = "lifetimes.lost-reply-window"
  case interactionLifetime = "lifetimes.interaction"
  case pushedRequestLifetime = "lifetimes.pushed-request"
  case deviceCodeLifetime = "lifetimes.device-code"
  case sessionIdle = "lifetimes.browser-session-idle"
  case sessionLifetime = "lifetimes.browser-session"
  case hashingThreads = "hashing.threads"
  case hashingWaiting = "hashing.waiting"
  case logLevel = "log.level"
  case metricsHost = "metrics.host"
  case metricsPort = "metrics.port"
  case shutdownDelay = "shutdown.delay"
  case shutdownTimeout = "shutdown.timeout"
  case logFormat = "log.format"
  case auditRetention = "audit.keep"

  /// The name of the setting's environment variable.
  var variable: String {
    Self.variablePrefix + self.rawValue.uppercased().replacing(".", with: "_").replacing("-", with: "_")
  }

  static var variablePrefix: String { "SALLYPORTD_" }
}
