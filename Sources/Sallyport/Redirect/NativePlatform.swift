public import SallyportProtocol

/// The systems that RFC 8252 Appendix B speaks of.
public enum NativePlatform: Sendable, CaseIterable {
  case iOS, macOS, android, windows, linux

  /// The one that this was compiled for; nil for any other.
  public static var current: NativePlatform? {
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
  /// Why this redirect never reaches an app on that system; nil where it can (rules P-01 to P-05).
  public func obstacle(on platform: NativePlatform) -> String? {
    switch (self.kind, platform) {
    case (.privateUse, .windows) where self.components.scheme.utf8.count > Self.longestWindowsScheme:
      "Windows takes schemes of at most \(Self.longestWindowsScheme) characters (RFC 8252 Appendix B.3)"
    case (.privateUse, _) where self.components.scheme == "msapp" && platform != .windows:
      "msapp is a scheme of Windows (RFC 8252 Appendix B.3)"
    case (.loopback, .iOS):
      "iOS suspends an app that is behind the browser (RFC 8252 Appendix B.1)"
    case (.loopback, .android):
      "Android may end an app that is behind the browser (RFC 8252 Appendix B.2)"
    default: nil
    }
  }

  /// Refuses a redirect that never reaches an app on this system, before anybody is asked anything.
  func checkReachesApp() throws(RedirectReceiverError) {
    if let obstacle = NativePlatform.current.flatMap({ self.obstacle(on: $0) }) { throw .cannotBind(reason: obstacle) }
  }

  private static var longestWindowsScheme: Int { 39 }
}
