import SallyportProtocol
import SallyportRemote

/// Reads and verifies request objects, RFC 9101 §6.
struct RequestObjects: Sendable {
  let keySets: ClientKeySets
  let issuer: Issuer
  let now: TimeSource

  /// The parameters of a request object that this client has signed.
  func parameters(of text: String, signedBy client: ClientRecord) async throws(RequestObjectError) -> FormParameters {
    guard client.keys != nil else { throw .unsupported }
    let object = try RequestObject(text)
    try object.check(of: client, issuer: self.issuer, at: self.now())
    let header = object.jws.header
    let key: VerificationKey
    do { key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm) } catch { throw .key }
    guard object.jws.isSigned(by: key) else { throw .signature }
    return object.parameters
  }
}
