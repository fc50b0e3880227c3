import Foundation

/// The independent programs that `Scripts/peers` has fetched, where it says they are.
enum Peers {
  /// `Scripts/test` sets it, and then the tests must find what they need.
  static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PEERS"]

  static let areThere = folder != nil
  static let hint = "needs SALLYPORT_PEERS=$(Scripts/peers)"

  static var python: String { "\(self.folder ?? "")/venv/bin/python" }
  static var glewlwyd: String { "\(self.folder ?? "")/glewlwyd/usr" }
}
