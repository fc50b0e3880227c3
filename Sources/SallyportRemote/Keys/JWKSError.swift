/// Why there is no key to check a signature with.
public enum JWKSError: Error, Equatable, Sendable {
  /// The key set could not be fetched or is not JSON.
  case document(JSONDocumentError)
  /// A signature algorithm that is not used here: `none`, a symmetric one, or an unknown one.
  case unsupportedAlgorithm
  /// No key of the set has this identifier, nor after the set was fetched again.
  case unknownKey
  /// The key is for another algorithm, curve or use.
  case unsuitableKey
  /// More than one key would do.
  case ambiguousKey
  /// The key's own values are broken.
  case invalidKey
}
