public import HTTPTypes

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1). A challenge says why a request was rejected and how
/// to authenticate.
///
/// The content of a field is untrusted. A malformed field is rejected as a whole.
public struct AuthenticationChallenge: Hashable, Sendable {
  /// The scheme as written, such as `Bearer` or `DPoP`. Use ``isScheme(_:)`` to compare it, because case does not
  /// matter.
  public let scheme: String
  /// The single value that some schemes, such as `Negotiate`, have instead of named parameters. `nil` if there is none.
  public let token68: String?
  /// The parameters in the order of the field, with lowercase names. In a parsed challenge, the names are unique.
  let parameters: [Parameter]

  struct Parameter: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// Creates a challenge to send.
  public init(scheme: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.init(scheme: scheme, token68: nil, parameters: parameters.map { Parameter(name: $0.lowercased(), value: $1) })
  }

  /// Creates a challenge from a list of parameters.
  package init(scheme: String, parameters: [(name: String, value: String)]) {
    self.init(scheme: scheme, token68: nil, parameters: parameters.map { Parameter(name: $0.name.lowercased(), value: $0.value) })
  }

  init(scheme: String, token68: String?, parameters: [Parameter]) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// Parses one field value, which can contain several challenges.
  /// - Throws: ``ChallengeError``
  public static func parse(_ field: String) throws(ChallengeError) -> [AuthenticationChallenge] {
    var parser = try ChallengeParser(field)
    return try parser.challenges()
  }

  /// The challenges in all `WWW-Authenticate` fields of a response. Malformed fields are ignored.
  public static func challenges(of fields: HTTPFields) -> [AuthenticationChallenge] {
    fields[values: .wwwAuthenticate].flatMap { (try? self.parse($0)) ?? [] }
  }

  /// Whether the challenge has the given scheme, ignoring case (RFC 9110 §11.1).
  public func isScheme(_ name: String) -> Bool {
    self.scheme.lowercased() == name.lowercased()
  }

  /// The value of a parameter, or `nil` if it is absent. Case in names does not matter (RFC 9110 §11.2).
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return self.parameters.first { $0.name == name }?.value
  }

  /// The `error` parameter (RFC 6750 §3).
  public var error: OAuthErrorCode? { self["error"].map(OAuthErrorCode.init) }
  /// The `scope` parameter, which contains the required scope (RFC 6750 §3). `nil` if it is absent or invalid.
  public var scope: Scope? { self["scope"].flatMap { Scope($0) } }

  /// The value of a `WWW-Authenticate` field. In parameter values, control characters other than tabs become
  /// spaces.
  public var fieldValue: String {
    let parameters = self.parameters.map { "\($0.name)=\(Self.quoted($0.value))" }
    return [self.scheme, self.token68].compactMap(\.self).joined(separator: " ")
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

/// Why a `WWW-Authenticate` field could not be parsed.
public enum ChallengeError: Error, Equatable, Sendable {
  /// The field is longer than 16 KiB.
  case tooLong
  case malformed
  /// A parameter occurs twice in one challenge (RFC 9110 §11.2).
  case repeatedParameter
}
