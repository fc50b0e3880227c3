#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a user needs to sign in on another device (RFC 8628 §3.3): a page to open there, and a code to enter on it.
///
/// The code and the URIs come from the server and are checked: the code is safe to print in a terminal, and the URIs
/// are safe to open and to put into a QR code. Always show ``verificationURI`` and ``userCode``, so that the user can
/// compare the code with the one on the page (§3.3.1 and §5.4). Show ``completeURI`` as a QR code next to them.
public struct DevicePrompt: Sendable {
  /// The code as the server sent it: letters and digits, separated by `-`, `_`, `.`, or spaces, at most 40 characters.
  public let userCode: String
  /// The page where the user enters the code.
  public let verificationURI: BrowserURL
  /// A page with the same origin whose URL contains the code, if the server offers one (§3.3.1).
  public let completeURI: BrowserURL?
  /// When the code expires.
  public let expiration: Date
}
