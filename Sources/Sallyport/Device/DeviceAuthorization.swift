package import SallyportProtocol
package import SallyportRemote

/// A validated device authorization response (RFC 8628 §3.2).
package struct DeviceAuthorization: Sendable {
  package let deviceCode: Secret<String>
  package let prompt: DevicePrompt
  /// The minimum time between two polls.
  package let interval: Duration

  /// Reads and checks a response of the device authorization endpoint.
  /// - Parameters:
  ///   - issuer: The issuer of the response. If it uses `https`, the verification URIs must too.
  ///   - requestedAt: When the request was sent. The code's lifetime is counted from this time.
  package init(
    _ response: TransportResponse, issuer: Issuer, requestedAt: Timestamp
  ) throws(DeviceAuthorizationError) {
    guard let members = ResponseMembers(response), case .string(let deviceCode) = members.all["device_code"],
      case .string(let userCode) = members.all["user_code"],
      // Google uses the name of an early draft of RFC 8628.
      case .string(let verificationURI) = members.all["verification_uri"] ?? members.all["verification_url"]
    else { throw .malformed }
    try Self.checkDeviceCode(deviceCode)
    try Self.checkUserCode(userCode)
    let lifetime = try Self.lifetime(members)
    let verification = try Self.checkVerificationURI(verificationURI, issuer: issuer)
    self.deviceCode = Secret(deviceCode)
    self.interval = try Self.interval(members)
    self.prompt = DevicePrompt(
      userCode: userCode, verificationURI: verification.url,
      completeURI: try Self.checkCompleteURI(members, of: verification.origin, issuer: issuer),
      expiration: (requestedAt + .seconds(lifetime)).date)
  }

  /// Checks the device code, which is sent in a form: visible ASCII of limited length.
  private static func checkDeviceCode(_ code: String) throws(DeviceAuthorizationError) {
    guard (1...self.longestDeviceCode).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .deviceCodeMalformed
    }
  }

  /// Checks the user code, which apps can print in a terminal and which the user types (§6.1): letters and digits with
  /// a few separators.
  private static func checkUserCode(_ code: String) throws(DeviceAuthorizationError) {
    let isLetterOrDigit = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard (1...self.longestUserCode).contains(code.utf8.count),
      code.utf8.allSatisfy({ isLetterOrDigit($0) || "-_. ".utf8.contains($0) }),
      code.utf8.first.map(isLetterOrDigit) == true, code.utf8.last.map(isLetterOrDigit) == true
    else { throw .userCodeMalformed }
  }

  private static func lifetime(_ members: ResponseMembers) throws(DeviceAuthorizationError) -> Int {
    guard let seconds = try? members.seconds("expires_in") else { throw .malformed }
    guard (1...self.longestLifetime).contains(seconds) else { throw .lifetimeInvalid }
    return seconds
  }

  /// The polling interval: 5 seconds if the server specifies none (§3.2), and at least 1 second.
  private static func interval(_ members: ResponseMembers) throws(DeviceAuthorizationError) -> Duration {
    let requested: Int?
    do { requested = try members.seconds("interval") } catch { throw .malformed }
    guard let seconds = requested else { return .seconds(5) }
    guard (0...self.longestInterval).contains(seconds) else { throw .intervalInvalid }
    return .seconds(max(1, seconds))
  }

  /// Checks a verification URI like any URL that the app opens (rule C-25), even though the user may type it by hand.
  private static func checkVerificationURI(
    _ text: String, issuer: Issuer
  ) throws(DeviceAuthorizationError) -> (url: BrowserURL, origin: Origin) {
    do {
      let endpoint = try EndpointURL(text)
      guard endpoint.components.scheme == "https" || !issuer.isHTTPS else { throw EndpointURLError.plainHTTP }
      guard text.utf8.count <= self.longestURL else { throw EndpointURLError.malformed }
      return (try BrowserURL(text), Origin(endpoint))
    } catch let error as EndpointURLError {
      throw .verificationURI(error)
    } catch {
      throw .verificationURI(.malformed)
    }
  }

  /// Checks that the complete URI has the same origin as the verification URI that the user sees next to the QR code
  /// (§3.3.1).
  private static func checkCompleteURI(
    _ members: ResponseMembers, of origin: Origin, issuer: Issuer
  ) throws(DeviceAuthorizationError) -> BrowserURL? {
    guard let member = members.all["verification_uri_complete"], member != .null else { return nil }
    guard case .string(let text) = member else { throw .malformed }
    let verification = try self.checkVerificationURI(text, issuer: issuer)
    guard verification.origin == origin else { throw .completeURIOriginMismatch }
    return verification.url
  }

  // Limits of this library, because RFC 8628 defines none. Lengths are in bytes.

  private static let longestDeviceCode = 8 << 10
  private static let longestUserCode = 40
  private static let longestURL = 1 << 10
  /// 30 days, in seconds.
  private static let longestLifetime = 30 * 86_400
  /// One hour, in seconds.
  private static let longestInterval = 3600
}
