#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Client authentication with `client_secret_basic` (RFC 6749 §2.3.1).
package enum BasicAuthorization {
  /// The value of the `Authorization` field. The client identifier and the secret are form-encoded first.
  package static func value(clientID: String, secret: Secret<String>) -> String {
    let credentials = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(secret.reveal()))"
    return "Basic \(Data(credentials.utf8).base64EncodedString())"
  }
}
