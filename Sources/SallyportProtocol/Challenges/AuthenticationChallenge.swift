public import HTTPTypes

/// One challenge of a `WWW-Authenticate` field, RFC 9110 §11.6.1: why a request was refused, and what would help.
///
/// Everything in it is a stranger's text. A challenge is read whole or not at all.
public struct AuthenticationChallenge: Hashable, Sendable {
  /// For example `Bearer` or `DPoP`, as written; compared without regard to case by ``isScheme(_:)``.
  public let scheme: String
  /// The one value of schemes that have no named parameters, for example `Negotiate`.
  public let token68: String?
  /// In the order of the field; the names in lower case, each present once.
  let parameters: [Parameter]

  struct Parameter: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// A challenge to send.
  public init(scheme: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.init(scheme: scheme, token68: nil, parameters: parameters.map { Parameter(name: $0.lowercased(), value: $1) })
  }

  /// A challenge whose parameters were put together.
  package init(scheme: String, parameters: [(name: String, value: String)]) {
    self.init(scheme: scheme, token68: nil, parameters: parameters.map { Parameter(name: $0.name.lowercased(), value: $0.value) })
  }

  init(scheme: String, token68: String?, parameters: [Parameter]) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// Reads one field value, which may hold several challenges.
  /// - Throws: ``ChallengeError``
  public static func parse(_ field: String) throws(ChallengeError) -> [AuthenticationChallenge] {
    var parser = try ChallengeParser(field)
    return try parser.challenges()
  }

  /// The challenges of an answer, over all of its `WWW-Authenticate` fields. A field that breaks the grammar counts as absent.
  public static func challenges(of fields: HTTPFields) -> [AuthenticationChallenge] {
    fields[values: .wwwAuthenticate].flatMap { (try? self.parse($0)) ?? [] }
  }

  /// Whether this is a challenge of that scheme, without regard to case (RFC 9110 §11.1).
  public func isScheme(_ name: String) -> Bool {
    self.scheme.lowercased() == name.lowercased()
  }

  /// The value of a parameter, whose name has no case (RFC 9110 §11.2); nil where it is absent.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return self.parameters.first { $0.name == name }?.value
  }

  /// `error`, RFC 6750 §3.
  public var error: OAuthErrorCode? { self["error"].map(OAuthErrorCode.init) }
  /// `scope`: what the request would need, RFC 6750 §3; nil where it is no list of scopes.
  public var scope: Scope? { self["scope"].flatMap { Scope($0) } }

  /// The challenge as it stands in a field. A character that no field may hold becomes a space.
  public var fieldValue: String {
    let parameters = self.parameters.map { "\($0.name)=\(Self.quoted($0.value))" }
    return ([self.scheme] + (self.token68.map { [$0] } ?? [])).joined(separator: " ")
      + (parameters.isEmpty ? "" : " \(parameters.joined(separator: ", "))")
  }

  private static func quoted(_ text: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x09, 0x0A..<0x20, 0x7F: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
  }
}

/// Why a `WWW-Authenticate` field was not read.
public enum ChallengeError: Error, Equatable, Sendable {
  case tooLong
  case malformed
  /// A parameter stands twice in one challenge, RFC 9110 §11.2.
  case repeatedParameter
}
