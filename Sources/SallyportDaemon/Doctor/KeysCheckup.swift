import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks the keys that sign tokens.
struct KeysCheckup {
  /// All keys that are published.
  let keys: [SigningKeyRecord]
  let masterKey: MasterKey
  var now = Timestamp.now()

  func findings() -> [Finding] {
    let sealer = KeySealer(self.masterKey)
    var found: [Finding] = self.keys.filter { (try? sealer.open($0)) == nil }.map {
      .problem("keys", "\($0.id) was stored under another key file: put the right one back")
    }
    if let latest = self.keys.map(\.createdAt).max(), latest > self.now + .seconds(60) {
      found.append(.problem("clock", "the newest key is of \(latest.date.formatted(.iso8601)): the clock was set back"))
    }
    for algorithm in SigningKey.Algorithm.allCases.map(\.rawValue) {
      let signing = self.keys.filter { key in
        key.algorithm == algorithm && key.activeAt <= self.now && key.retiredAt.map { self.now < $0 } ?? true
      }
      guard let newest = signing.map(\.createdAt).max() else {
        found.append(
          self.keys.isEmpty
            ? .warning("keys", "none for \(algorithm) yet; the first start makes it")
            : .problem("keys", "none signs with \(algorithm); the next start, or `sallyportd key rotate`, makes one"))
        continue
      }
      if newest < self.now - .seconds(365 * 86_400) {
        found.append(.warning("keys", "the one for \(algorithm) is older than a year; `sallyportd key rotate`"))
      }
    }
    return Finding.list("keys", found, otherwise: "\(self.keys.count) published, one of each algorithm signs")
  }
}
