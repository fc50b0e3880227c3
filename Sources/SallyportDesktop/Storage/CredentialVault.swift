import Sallyport

/// Named values of limited size, each written as a whole: what Windows' Credential Manager is.
protocol CredentialVault: Sendable {
  func read(_ name: String) throws(TokenStoreError) -> [UInt8]?
  func write(_ value: [UInt8], _ name: String) throws(TokenStoreError)
  /// Does nothing where there is none.
  func remove(_ name: String) throws(TokenStoreError)
}
