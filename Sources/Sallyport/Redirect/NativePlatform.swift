package import SallyportProtocol

/// The operating systems that RFC 8252 Appendix B describes.
package enum NativePlatform: Sendable, CaseIterable {
  case iOS, macOS, android, windows, linux

  /// The platform that this code was compiled for, or `nil` if it is not one of these. visionOS counts as iOS.
  package static var current: NativePlatform? {
    #if os(iOS) || os(visionOS)
      .iOS
    #elseif os(macOS)
      .macOS
    #elseif os(Android)
      .android
    #elseif os(Windows)
      .windows
    #elseif os(Linux)
      .linux
    #else
      nil
    #endif
  }
}

extension RedirectURI {
  /// Why this redirect doesn't work reliably on the given platform, or `nil` if it does (rules P-01 to P-05).
  package func obstacle(on platform: NativePlatform) -> String? {
    switch (self.kind, platform) {
    case (.privateUse, .windows) where self.components.scheme.utf8.count > Self.longestWindowsScheme:
      "Windows supports schemes of at most \(Self.longestWindowsScheme) characters (RFC 8252 Appendix B.3)"
    case (.privateUse, _) where self.components.scheme == "msapp" && platform != .windows:
      "the msapp scheme is available only on Windows (RFC 8252 Appendix B.3)"
    case (.loopback, .iOS):
      "iOS suspends an app while the browser is in the foreground (RFC 8252 Appendix B.1)"
    case (.loopback, .android):
      "Android may terminate an app while the browser is in the foreground (RFC 8252 Appendix B.2)"
    default: nil
    }
  }

  /// Throws if the redirect doesn't work reliably on this platform. Called before the user sees anything.
  func checkReachesApp() throws(RedirectReceiverError) {
    if let obstacle = NativePlatform.current.flatMap({ self.obstacle(on: $0) }) { throw .cannotBind(reason: obstacle) }
  }

  private static var longestWindowsScheme: Int { 39 }
}
