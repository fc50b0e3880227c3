import SallyportProtocol
import SallyportRemote

/// Fetches, reads and verifies request objects, RFC 9101 §6.
struct RequestObjects: Sendable {
  let keySets: ClientKeySets
  /// For clients of operators.
  let documents: NamedDocuments
  /// For the others, all of which share one budget, in which each has its part, and each who asks.
  let strangersBudget: BudgetedTransport?
  let fetched: FetchedRequestObjects
  let issuer: Issuer
  /// How many a client's visitors may have fetched in a minute.
  let perMinute: Int
  let now: TimeSource

  /// The parameters of a request object that this client has signed.
  func parameters(of text: String, signedBy client: ClientRecord) async throws(RequestObjectError) -> FormParameters {
    try Self.checkKeys(of: client)
    let object = try RequestObject(text)
    try object.check(of: client, issuer: self.issuer, at: self.now())
    let header = object.jws.header
    let key: VerificationKey
    do { key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm) } catch { throw .key }
    guard object.jws.isSigned(by: key) else { throw .signature }
    return object.parameters
  }

  /// What a client without keys sends is not even fetched, since nothing could be checked.
  private static func checkKeys(of client: ClientRecord) throws(RequestObjectError) {
    guard client.keys != nil else { throw .unsupported }
  }

  /// RFC 9101 §5.2 and §10.4.1: the object at an address that the client has registered, byte for byte. No other is ever opened, since
  /// anybody can write a `request_uri` into a link.
  /// - Parameter asker: whoever comes with it.
  func text(at uri: String, of client: ClientRecord, for asker: ClientAddress) async throws(RequestObjectError) -> String {
    guard let registered = client.details.requestURIs, self.documents.areFetched else { throw .addressUnsupported }
    guard registered.contains(where: { $0.utf8.elementsEqual(uri.utf8) }) else { throw .addressUnknown }
    try Self.checkKeys(of: client)
    let isOperators = client.origin == .operator
    let documents =
      isOperators ? self.documents : self.documents.fetched(by: self.strangersBudget?.share(of: client.id, for: asker))
    let (mark, limit) = (RequestQuota.mark("request object", client.id), self.perMinute)
    let body = await self.fetched.body(at: .init(client: client.id, uri: uri, isOperators: isOperators)) {
      // The fragment is a hash of the contents, which changes with them. It is not part of the address.
      let address = String(uri.prefix { $0 != "#" })
      guard case .body(let body)? = try? await documents.fetch(address, mark: mark, limit: limit) else { return nil }
      return body
    }
    guard let body else { throw .addressUnreachable }
    var text = String(decoding: body, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }
}
