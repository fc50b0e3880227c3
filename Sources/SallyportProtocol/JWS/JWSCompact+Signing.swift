extension JWSCompact {
  /// Signs a JWS and returns its compact serialization (RFC 7515 §7.1).
  /// - Parameters:
  ///   - header: The header, encoded as base64url. A signer can encode it once for many tokens.
  ///   - payload: The payload, encoded as base64url.
  ///   - signature: Returns the signature of the given bytes, in the format of RFC 7518.
  package static func sign<Failure: Error>(
    header: String, payload: String, with signature: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> Secret<String> {
    var token = header
    token += "."
    token += payload
    let signature = try signature(Array(token.utf8))
    token += "."
    token += Base64URL.encode(signature)
    return Secret(token)
  }
}
