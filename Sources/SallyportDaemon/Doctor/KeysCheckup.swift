import FoundationEssentials
import SallyportProtocol
import SallyportServer

/// Checks the keys that sign tokens.
struct KeysCheckup {
  /// All keys in the server's JWK Set.
  let keys: [SigningKeyRecord]
  let masterKey: MasterKey
  var now = Timestamp.now()

  func findings() -> [Finding] {
    let sealer = KeySealer(self.masterKey)
    var findings: [Finding] = self.keys.filter { (try? sealer.open($0)) == nil }.map {
      .problem(
        "keys", "the key \($0.id) does not match the key file; restore the key file that was in use when this key was created")
    }
    // Another server, whose clock may differ a little, can have created the key, so 60 seconds are tolerated.
    let latestTime = self.now + .seconds(60)
    if let latest = self.keys.map(\.createdAt).max(), latest > latestTime {
      findings.append(
        .problem(
          "clock",
          "the newest key was created at \(latest.date.formatted(.iso8601)), which is in the future; check the clock, which may have been set back"
        ))
    }
    for algorithm in SigningKey.Algorithm.allCases.map(\.rawValue) {
      let signing = self.keys.filter { key in
        key.algorithm == algorithm && key.activeAt <= latestTime && key.retiredAt.map { self.now < $0 } ?? true
      }
      guard let newest = signing.map(\.createdAt).max() else {
        findings.append(
          self.keys.isEmpty
            ? .warning("keys", "there is no key for \(algorithm) yet; the first start of the server creates one")
            : .problem(
              "keys", "no active key signs with \(algorithm); the next start of the server or 'sallyportd key rotate' creates one"
            ))
        continue
      }
      if newest < self.now - .seconds(365 * 86_400) {
        findings.append(.warning("keys", "the key for \(algorithm) is older than a year; run 'sallyportd key rotate'"))
      }
    }
    return Finding.list("keys", findings, otherwise: "\(self.keys.count) published keys, with an active one for each algorithm")
  }
}
