#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
  import Foundation
  import SallyportProtocol
  import UIKit

  /// The person's default browser: the fall-back where the system's tab cannot be shown (RFC 8252 Appendix B.1).
  ///
  /// The redirect comes to the app as a URL that it is asked to open; hand that to the client.
  @available(iOSApplicationExtension, unavailable)
  public struct DefaultBrowser: UserAgent {
    public init() {}

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard let page = URL(string: url.value), await Self.open(page) else { throw .noBrowser(tried: ["the default browser"]) }
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

  /// The person's default browser: the other way to sign in on macOS (RFC 8252 Appendix B.4).
  ///
  /// With a loopback redirect the receiver gets the answer; with a private-use scheme it comes to the app as a URL that it is asked
  /// to open; hand that to the client.
  public struct DefaultBrowser: UserAgent {
    public init() {}

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard let page = URL(string: url.value), await Self.open(page) else { throw .noBrowser(tried: ["the default browser"]) }
    }

    @MainActor
    private static func open(_ page: URL) -> Bool {
      NSWorkspace.shared.open(page)
    }
  }
#endif
