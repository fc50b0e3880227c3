#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import SallyportProtocol

extension ServerConfiguration {
  /// Reads a configuration from a JSON object. Its members have the names of RFC 8414 and OpenID Connect Discovery. A
  /// member of the object is added to the server's metadata, or replaces the member of the metadata with the same name.
  ///
  /// The member `discovery` says where the metadata comes from: `true` or absent for ``Discovery/automatic``, `false`
  /// for ``Discovery/none``, or the URL of the document. The member `loopback_host` is ``loopbackHost``: `127.0.0.1`,
  /// `[::1]`, or `localhost`.
  ///
  /// ```json
  /// {
  ///   "issuer": "https://git.example",
  ///   "discovery": false,
  ///   "authorization_endpoint": "https://git.example/login/oauth/authorize",
  ///   "token_endpoint": "https://git.example/login/oauth/access_token"
  /// }
  /// ```
  /// - Parameters:
  ///   - json: The text of the object.
  ///   - issuer: The issuer identifier. If the object contains `issuer`, both must be identical.
  /// - Throws: ``ServerConfiguration/JSONError``
  public init(json: some Sequence<UInt8>, issuer: Issuer? = nil) throws(JSONError) {
    guard var members = JSONValue.members(of: json) else { throw .malformed }
    let discovery = try Self.discovery(members.removeValue(forKey: "discovery"))
    self.init(issuer: try Self.issuer(members.removeValue(forKey: "issuer"), expected: issuer))
    self.discovery = discovery
    self.loopbackHost = try Self.loopbackHost(members.removeValue(forKey: "loopback_host"))
    self.metadata = members
    try self.check()
  }

  private static func discovery(_ member: JSONValue?) throws(JSONError) -> Discovery {
    switch member {
    case nil, .bool(true): return .automatic
    case .bool(false): return .none
    case .string(let text):
      do {
        return .document(try EndpointURL(text))
      } catch {
        throw .url(member: "discovery", error)
      }
    default: throw .type(member: "discovery")
    }
  }

  private static func loopbackHost(_ member: JSONValue?) throws(JSONError) -> LoopbackHost? {
    switch member {
    case nil: return nil
    case .string(let text):
      guard let host = LoopbackHost(text) else { throw .loopbackHost }
      return host
    default: throw .type(member: "loopback_host")
    }
  }

  private static func issuer(_ member: JSONValue?, expected: Issuer?) throws(JSONError) -> Issuer {
    let issuer: Issuer
    switch member {
    case nil:
      guard let expected else { throw .issuerMissing }
      return expected
    case .string(let text):
      do {
        issuer = try Issuer(text)
      } catch {
        throw .url(member: "issuer", error)
      }
    default: throw .type(member: "issuer")
    }
    if let expected, issuer != expected { throw .issuerMismatch }
    return issuer
  }

  /// Checks the types of the members, the endpoint URLs, and, without discovery, the presence of the required
  /// endpoints. A mistake is then reported as an error in the configuration, not in the server's metadata.
  private func check() throws(JSONError) {
    // Decodes the members one by one, so that the error can name the member.
    for (name, value) in self.metadata {
      let members = ["issuer": .string(self.issuer.value), name: value]
      guard let json = try? JSONEncoder().encode(members), (try? JSONDecoder().decode(ServerMetadata.self, from: json)) != nil
      else { throw .type(member: name) }
    }
    for endpoint in MetadataEndpoint.allCases {
      guard case .string(let text) = self.metadata[endpoint.rawValue] else { continue }
      do {
        _ = try EndpointURL(text)
      } catch {
        throw .url(member: endpoint.rawValue, error)
      }
    }
    for endpoint in [MetadataEndpoint.authorization, .token] where self.discovery == .none {
      guard self.metadata[endpoint.rawValue] != nil else { throw .missing(member: endpoint.rawValue) }
    }
  }
}

extension ServerConfiguration {
  /// Why the JSON form of a ``ServerConfiguration`` is invalid.
  public enum JSONError: Error, Equatable, Sendable {
    /// The text is not a JSON object.
    case malformed
    /// Neither the object nor the caller names the issuer.
    case issuerMissing
    /// The object names a different issuer than the caller.
    case issuerMismatch
    /// Discovery is off, and a member that is then required is missing.
    case missing(member: String)
    /// A member has the wrong type.
    case type(member: String)
    /// `loopback_host` is not `127.0.0.1`, `[::1]`, or `localhost`.
    case loopbackHost
    /// A member is not a URL that is safe to open or request.
    case url(member: String, EndpointURLError)
  }
}
