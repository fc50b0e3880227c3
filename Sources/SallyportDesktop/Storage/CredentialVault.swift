import Sallyport

/// A store for named values of limited size, such as the Windows Credential Manager. Each write replaces the whole
/// value.
protocol CredentialVault: Sendable {
  func read(_ name: String) throws(TokenStoreError) -> [UInt8]?
  func write(_ value: [UInt8], _ name: String) throws(TokenStoreError)
  /// Removes the value, if there is one.
  func remove(_ name: String) throws(TokenStoreError)
}
