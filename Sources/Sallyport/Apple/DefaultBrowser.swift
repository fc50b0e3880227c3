#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
  import Foundation
  import SallyportProtocol
  import UIKit

  /// Opens the user's default browser. Use it when the system's authentication tab cannot be shown (RFC 8252 Appendix
  /// B.1).
  ///
  /// The system delivers the redirect to the app as a URL to open. Pass that URL to ``AppRedirectReceiver/deliver(_:)``
  /// or ``OAuthClient/resume(from:)``.
  @available(iOSApplicationExtension, unavailable)
  public struct DefaultBrowser: UserAgent {
    public init() {}

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard await Self.open(url.url) else { throw .noBrowser(tried: ["the default browser"]) }
    }

    @MainActor
    private static func open(_ page: URL) async -> Bool {
      await UIApplication.shared.open(page)
    }
  }
#elseif canImport(AppKit)
  import AppKit
  import Foundation
  import SallyportProtocol

  /// Opens the user's default browser. On macOS, this is an alternative to the system's authentication tab (RFC 8252
  /// Appendix B.4).
  ///
  /// A loopback receiver gets the response directly. With a private-use scheme, the system delivers the redirect to the
  /// app as a URL to open. Pass that URL to ``AppRedirectReceiver/deliver(_:)`` or ``OAuthClient/resume(from:)``.
  public struct DefaultBrowser: UserAgent {
    public init() {}

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard await Self.open(url.url) else { throw .noBrowser(tried: ["the default browser"]) }
    }

    @MainActor
    private static func open(_ page: URL) -> Bool {
      NSWorkspace.shared.open(page)
    }
  }
#endif
