package import SallyportProtocol
package import SallyportServer

/// The signing keys of the test process, created once because creating an RSA key is slow.
package enum TestKeys {
  private static let keys = Result { try SigningKey.Algorithm.allCases.map { try SigningKey.generate($0) } }

  package static func masterKey() throws -> MasterKey {
    // The size is valid, so this does not throw.
    guard let key = MasterKey(Secret([UInt8](repeating: 7, count: MasterKey.size))) else { throw KeyRingError.noActiveKey("") }
    return key
  }

  /// Returns one key for each algorithm, active at `now`.
  package static func records(at now: Timestamp) throws -> [SigningKeyRecord] {
    let sealer = KeySealer(try self.masterKey())
    return try self.keys.get().map { try sealer.record(of: $0, createdAt: now, activeAt: now) }
  }

  package static func key(_ algorithm: SigningKey.Algorithm) throws -> SigningKey {
    guard let key = try self.keys.get().first(where: { $0.algorithm == algorithm }) else {
      throw KeyRingError.noActiveKey(algorithm.rawValue)
    }
    return key
  }
}
