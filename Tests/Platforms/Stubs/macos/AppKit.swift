// swift-format-ignore-file
// Our own declarations of Apple's types; see AuthenticationServices.swift.
@_exported public import Foundation

@MainActor
open class NSWindow: NSObject {
  public override init() {}
}

@MainActor
open class NSApplication: NSObject {
  public static let shared = NSApplication()
  open var keyWindow: NSWindow? { nil }
}

@MainActor
open class NSWorkspace: NSObject {
  public static let shared = NSWorkspace()
  public private(set) var opened: [URL] = []
  // Whether `open` succeeds.
  public var openSucceeds = true
  public var onOpen: (@MainActor (URL) -> Void)?

  open func open(_ url: URL) -> Bool {
    self.opened.append(url)
    self.onOpen?(url)
    return self.openSucceeds
  }
}
