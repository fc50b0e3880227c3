public import SallyportProtocol

/// What a person needs to sign in on another device, RFC 8628 §3.3: a page to open there, and a code to enter on it.
///
/// Both come from the server and are checked: the code can be printed on any terminal, the addresses can be opened and put into a
/// QR code. Show ``verificationURI`` and ``userCode`` in any case, so that the person can compare them (§5.4), and
/// ``completeURI`` as a QR code beside them.
public struct DevicePrompt: Sendable {
  /// The code in the server's own writing: letters, digits, and `-`, `_`, `.` or blanks between them, at most 40 characters.
  public let userCode: String
  /// The page where the code is entered.
  public let verificationURI: BrowserURL
  /// The same site's page with the code in its address, where the server offers one: for a QR code (§3.3.1).
  public let completeURI: BrowserURL?
  /// When the code is worth nothing any more.
  public let expiresAt: Timestamp
}
