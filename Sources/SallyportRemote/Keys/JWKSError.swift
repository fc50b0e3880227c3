/// Why no key is available to verify a signature.
public enum JWKSError: Error, Equatable, Sendable {
  /// The key set could not be fetched or is malformed. This error is also reported if a token needs a key that is not
  /// in the cached key set, and the last fetch of the key set failed.
  case document(JSONDocumentError)
  /// The signature algorithm is `none`, symmetric, or unknown.
  case unsupportedAlgorithm
  /// No key has the token's `kid`, or the token has no `kid` and no key fits its algorithm. A key set from a URL is
  /// fetched again before this error is reported, unless the last fetch was too recent.
  case unknownKey
  /// The key with the token's `kid` is for another algorithm, curve, or use.
  case unsuitableKey
  /// More than one key fits the token's `kid` and algorithm.
  case ambiguousKey
  /// The key's values are invalid.
  case invalidKey
}
