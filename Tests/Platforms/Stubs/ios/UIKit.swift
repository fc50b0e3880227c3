// swift-format-ignore-file
// Our own declarations of Apple's types, so that the SDK's code for iOS can be compiled without UIKit. See
// AuthenticationServices.swift.
@_exported public import Foundation

@MainActor
open class UIWindow: NSObject {
  public override init() {}
}

@MainActor
open class UIScene: NSObject {}

@MainActor
open class UIWindowScene: UIScene {
  open var keyWindow: UIWindow? { nil }
}

@MainActor
open class UIApplication: NSObject {
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}

  public static let shared = UIApplication()
  open var connectedScenes: Set<UIScene> { [] }
  public private(set) var opened: [URL] = []
  // Whether `open` reports success.
  public var openSucceeds = true

  open func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
    self.opened.append(url)
    return self.openSucceeds
  }
}
