import SallyportProtocol
import SallyportRemote

/// Fetches, reads and verifies request objects, RFC 9101 §6.
struct RequestObjects: Sendable {
  let keySets: ClientKeySets
  let documents: NamedDocuments
  let fetched: FetchedRequestObjects
  let quota: SharedQuota
  let store: any Store
  let issuer: Issuer
  let now: TimeSource

  /// The parameters of a request object that this client has signed.
  /// - Parameter asker: where the request comes from that contains it.
  func parameters(
    of text: String, signedBy client: ClientRecord, for asker: ClientAddress
  ) async throws(RequestObjectError) -> FormParameters {
    try Self.checkKeys(of: client)
    let object = try RequestObject(text)
    try object.check(of: client, issuer: self.issuer, at: self.now())
    let header = object.jws.header
    let key: VerificationKey
    do {
      key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm, for: asker)
    } catch { throw .key }
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
    // The fragment is a hash of the contents, which changes with them. It is not part of the address.
    guard let url = NamedDocuments.openable(String(uri.prefix { $0 != "#" })) else { throw .addressUnreachable }
    let isOperators = client.origin == .operator
    let hasGrant = try? await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(client) }
    let body = await self.fetched.body(at: .init(client: client.id, uri: uri, isOperators: isOperators)) {
      await self.fetch(url, of: client, hasGrant: hasGrant ?? false, for: asker)
    }
    guard let body else { throw .addressUnreachable }
    var text = String(decoding: body, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  /// Whoever asks is anyone, whatever the client is.
  private func fetch(
    _ url: EndpointURL, of client: ClientRecord, hasGrant: Bool, for asker: ClientAddress
  ) async -> FetchedRequestObjects.Outcome {
    guard let admission = self.quota.admit(.anonymous(asker), to: .requestObjects(of: client.id)),
      await self.isWithinQuota(admission)
    else { return .refused }
    let transport =
      client.origin == .operator
      ? self.documents.transport
      : self.documents.budgeted?.reserve(url, client: client.id, asker: asker, hasGrant: hasGrant)
    guard let transport else { return .refused }
    return .fetched(await NamedDocuments.fetch(url, over: transport))
  }

  private func isWithinQuota(_ admission: SharedQuota.Admission) async -> Bool {
    let now = self.now()
    return (try? await self.store.write { (tx) throws(StoreError) in try admission.count(in: &tx, at: now) }) ?? false
  }
}
