package import SallyportProtocol

/// A response of the device authorization endpoint (RFC 8628 §3.2).
package struct DeviceAuthorizationResponse: Sendable {
  package let deviceCode: Secret<String>
  package let userCode: UserCode
  /// The `verification_uri`.
  package let verificationURI: String
  /// The lifetime of the device code and the user code, in seconds.
  package let expiresIn: Int
  /// The initial minimum time between two polls, in seconds.
  package let interval: Int

  /// The `verification_uri_complete` (§3.3.1), which contains the user code. The page that it opens shows the code,
  /// and asks the user to compare it with the code on the device.
  package var verificationURIComplete: String { "\(self.verificationURI)?user_code=\(self.userCode.description)" }

  /// The response body. This is the only place that reveals the device code.
  package var json: JSON {
    JSON(
      deviceCode: self.deviceCode.reveal(), userCode: self.userCode.description, verificationURI: self.verificationURI,
      verificationURIComplete: self.verificationURIComplete, expiresIn: self.expiresIn, interval: self.interval)
  }

  package struct JSON: Encodable, Sendable {
    let deviceCode: String
    let userCode: String
    let verificationURI: String
    let verificationURIComplete: String
    let expiresIn: Int
    let interval: Int

    private enum CodingKeys: String, CodingKey {
      case interval
      case deviceCode = "device_code"
      case userCode = "user_code"
      case verificationURI = "verification_uri"
      case verificationURIComplete = "verification_uri_complete"
      case expiresIn = "expires_in"
    }
  }
}
