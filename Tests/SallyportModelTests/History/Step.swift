/// One step of a history, the sequence of operations that a model test runs.
///
/// A step identifies a token by the number of its grant and by its age: 0 for the newest token, 1 for its predecessor.
/// A history therefore remains meaningful if steps are removed. A step that cannot be run, for example because its
/// token does not exist, is skipped.
struct Step: Hashable, Sendable {
  enum Verb: String, CaseIterable, Sendable {
    case signIn = "sign-in"
    case signOut = "sign-out"
    case changePassword = "change-password"
    /// Opens an authorization request.
    case open
    /// Gives the user's consent to the authorization request.
    case consent
    case redeem, refresh
    case revokeRefresh = "revoke-refresh"
    case revokeAccess = "revoke-access"
    case wait
    /// Removes expired data.
    case sweep
    case rotateKeys = "rotate-keys"
    /// Replaces the signing keys immediately, as after a leak, so that tokens that earlier keys signed become invalid.
    case replaceKeys = "replace-keys"
    case restart
    case removeClient = "remove-client"

    /// Whether a step with this verb refers to a grant by its number.
    var namesGrant: Bool {
      switch self {
      case .open, .consent, .redeem, .refresh, .revokeRefresh, .revokeAccess: true
      default: false
      }
    }
  }

  /// The client of the grant, or the client to remove: `app`, a public client, or `web`, a confidential client.
  enum Client: String, CaseIterable, Sendable { case app, web }
  /// Whether the request includes `offline_access`.
  enum Access: String, Sendable { case offline, online }
  /// The client that sends the request: the client of the grant, or the other client.
  enum Party: String, Sendable { case own, other }
  /// The PKCE code verifier in the request.
  enum Verifier: String, Sendable { case right, wrong, none }
  /// The redirect URI in the request.
  enum Redirect: String, Sendable { case right, wrong }
  /// Which part of the granted scope or resources the request names. In an `open` step, `all` requests no resources,
  /// and the other values request two.
  enum Extent: String, Sendable { case all, narrower, wider }
  /// The DPoP key of the request: the key of the grant if it has one (`own`), no key (`none`), or one of two keys (`a`
  /// and `b`). In an `open` step, `own` means no key.
  enum Key: String, Sendable { case own, none, a, b }

  var verb: Verb
  /// The number of the grant; 0 if the verb refers to no grant.
  var grant = 0
  /// The number of tokens that were issued after the token that the step presents.
  var age = 0
  /// The duration of a `wait` step.
  var seconds = 0
  var client = Client.app
  var access = Access.offline
  var party = Party.own
  var verifier = Verifier.right
  var redirect = Redirect.right
  var scope = Extent.all
  var resource = Extent.all
  var key = Key.own

  init(_ verb: Verb, grant: Int = 0) {
    self.verb = verb
    self.grant = grant
  }
}

extension Step: LosslessStringConvertible {
  /// For example `refresh 1 age=1 scope=narrower`. Default values are omitted.
  var description: String {
    var words = [self.verb.rawValue]
    if self.verb.namesGrant { words.append("\(self.grant)") }
    if self.age != 0 { words.append("age=\(self.age)") }
    if self.seconds != 0 { words.append("seconds=\(self.seconds)") }
    let defaults = Step(self.verb)
    if self.client != defaults.client { words.append("client=\(self.client)") }
    if self.access != defaults.access { words.append("access=\(self.access)") }
    if self.party != defaults.party { words.append("party=\(self.party)") }
    if self.verifier != defaults.verifier { words.append("verifier=\(self.verifier)") }
    if self.redirect != defaults.redirect { words.append("redirect=\(self.redirect)") }
    if self.scope != defaults.scope { words.append("scope=\(self.scope)") }
    if self.resource != defaults.resource { words.append("resource=\(self.resource)") }
    if self.key != defaults.key { words.append("key=\(self.key)") }
    return words.joined(separator: " ")
  }

  init?(_ description: String) {
    let words = description.split(separator: " ")
    guard let verb = words.first.flatMap({ Verb(rawValue: String($0)) }) else { return nil }
    self.init(verb)
    for word in words.dropFirst() where !self.parse(word) { return nil }
  }

  /// Parses one word of a description.
  /// - Returns: Whether the word is valid.
  private mutating func parse(_ word: Substring) -> Bool {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      guard self.verb.namesGrant, let number = Int(word) else { return false }
      self.grant = number
      return true
    }
    return switch parts[0] {
    case "age": Self.set(&self.age, Int(parts[1]))
    case "seconds": Self.set(&self.seconds, Int(parts[1]))
    case "client": Self.set(&self.client, Client(rawValue: parts[1]))
    case "access": Self.set(&self.access, Access(rawValue: parts[1]))
    case "party": Self.set(&self.party, Party(rawValue: parts[1]))
    case "verifier": Self.set(&self.verifier, Verifier(rawValue: parts[1]))
    case "redirect": Self.set(&self.redirect, Redirect(rawValue: parts[1]))
    case "scope": Self.set(&self.scope, Extent(rawValue: parts[1]))
    case "resource": Self.set(&self.resource, Extent(rawValue: parts[1]))
    case "key": Self.set(&self.key, Key(rawValue: parts[1]))
    default: false
    }
  }

  private static func set<Value>(_ field: inout Value, _ value: Value?) -> Bool {
    guard let value else { return false }
    field = value
    return true
  }
}
