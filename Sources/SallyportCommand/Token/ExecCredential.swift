#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The output of a kubectl credential plugin: `ExecCredential` of `client.authentication.k8s.io`.
struct ExecCredential: Encodable {
  private struct Status: Encodable {
    var token: String
    /// In RFC 3339 format, or `nil` if unknown.
    var expirationTimestamp: String?
  }

  /// kubectl's request in `KUBERNETES_EXEC_INFO`. The response uses the same version if this command supports it, and
  /// otherwise `v1`.
  private struct Request: Decodable {
    var apiVersion: String
  }

  private var apiVersion: String
  private var kind = "ExecCredential"
  private var status: Status

  init(token: Secret<String>, expiration: Timestamp?, request: String? = CommandEnvironment.variable("KUBERNETES_EXEC_INFO")) {
    self.apiVersion = Self.version(for: request)
    self.status = Status(token: token.reveal(), expirationTimestamp: expiration?.date.formatted(.iso8601))
  }

  private static func version(for request: String?) -> String {
    let supportedVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
    let requested = request.flatMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }?.apiVersion
    return supportedVersions.first { $0 == requested } ?? supportedVersions[0]
  }
}
