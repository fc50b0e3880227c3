// swift-format-ignore-file
// Our own declarations of the parts of Apple's framework that Sources/Sallyport/Apple uses, so that the code in that
// folder can be compiled and run without the framework. Tests use `onStart` and `complete(_:_:)` to simulate the page
// and its redirect.
@_exported public import Foundation
#if canImport(AppKit)
  @_exported public import AppKit
  public typealias ASPresentationAnchor = NSWindow
#else
  @_exported public import UIKit
  public typealias ASPresentationAnchor = UIWindow
#endif

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
  public enum Code: Int, Sendable {
    case canceledLogin = 1
    case presentationContextNotProvided = 2
    case presentationContextInvalid = 3
    // A code that a later version of the framework might add.
    case later = 99
  }
  public let code: Code
  public init(_ code: Code) { self.code = code }
}

@MainActor
open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  public final class Callback: NSObject, Sendable {
    public let text: String
    private init(_ text: String) { self.text = text }
    public nonisolated static func customScheme(_ customScheme: String) -> Callback { Callback("scheme \(customScheme)") }
    public nonisolated static func https(host: String, path: String) -> Callback { Callback("https \(host) \(path)") }
  }

  public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  public var prefersEphemeralWebBrowserSession = false

  // The interface for tests.
  public let url: URL
  public let callback: Callback
  public private(set) var anchor: ASPresentationAnchor?
  public private(set) var isCancelled = false
  private let completionHandler: CompletionHandler
  public static var canStart = true
  public static var onStart: (@MainActor (ASWebAuthenticationSession) -> Void)?

  public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
    self.url = url
    self.callback = callback
    self.completionHandler = completionHandler
  }

  @discardableResult
  open func start() -> Bool {
    guard Self.canStart else { return false }
    self.anchor = self.presentationContextProvider?.presentationAnchor(for: self)
    Self.onStart?(self)
    return true
  }

  open func cancel() {
    self.isCancelled = true
  }

  public func complete(_ url: URL?, _ error: (any Error)? = nil) {
    self.completionHandler(url, error)
  }
}
