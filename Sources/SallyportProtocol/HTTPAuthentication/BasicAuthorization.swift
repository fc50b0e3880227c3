#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Client authentication with `client_secret_basic` (RFC 6749 §2.3.1).
package enum BasicAuthorization {
  /// Returns the value of the `Authorization` field. The client identifier and the secret are percent-encoded first, as
  /// in a form (RFC 6749 appendix B).
  package static func value(clientID: String, secret: Secret<String>) -> String {
    let credentials = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(secret.reveal()))"
    return "Basic \(Data(credentials.utf8).base64EncodedString())"
  }
}
