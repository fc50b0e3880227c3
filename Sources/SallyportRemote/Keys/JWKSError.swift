/// Why no key is available to verify a signature.
public enum JWKSError: Error, Equatable, Sendable {
  /// The key set could not be fetched or is not JSON.
  case document(JSONDocumentError)
  /// The signature algorithm is `none`, symmetric, or unknown.
  case unsupportedAlgorithm
  /// No key has this identifier, even after fetching the key set again.
  case unknownKey
  /// The key is for another algorithm, curve, or use.
  case unsuitableKey
  /// More than one key fits.
  case ambiguousKey
  /// The key's values are invalid.
  case invalidKey
}
