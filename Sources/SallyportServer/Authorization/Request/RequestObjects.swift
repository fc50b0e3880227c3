import SallyportProtocol
import SallyportRemote

/// Fetches, parses, and verifies request objects (RFC 9101 §6).
struct RequestObjects: Sendable {
  let keySets: ClientKeySets
  let documents: ClientLinkedDocuments
  let fetchedObjects: FetchedRequestObjects
  let quota: SharedQuota
  let store: any Store
  let issuer: Issuer
  let now: TimeSource

  /// Returns the parameters of a request object, which the client must have signed.
  /// - Parameter address: The client address of the request that contains the request object.
  func parameters(
    of text: String, signedBy client: ClientRecord, for address: ClientAddress
  ) async throws(RequestObjectError) -> FormParameters {
    try Self.checkKeys(of: client)
    let object = try RequestObject(text)
    try object.check(of: client, issuer: self.issuer, at: self.now())
    let header = object.jws.header
    let key: VerificationKey
    do {
      key = try await self.keySets.key(of: client, id: header.keyID, algorithm: header.algorithm, for: address)
    } catch { throw .key }
    guard object.jws.isSigned(by: key) else { throw .signature }
    return object.parameters
  }

  /// Rejects a client without registered keys before anything is fetched, because the signature could not be verified.
  private static func checkKeys(of client: ClientRecord) throws(RequestObjectError) {
    guard client.keys != nil else { throw .unsupported }
  }

  /// Returns the request object at a `request_uri`, which must be identical to one that the client registered (RFC
  /// 9101 §5.2 and §10.4.1). No other URL is fetched, because anyone can write a `request_uri` into a link.
  /// - Parameter address: The client address of the request that contains the `request_uri`.
  func text(at uri: String, of client: ClientRecord, for address: ClientAddress) async throws(RequestObjectError) -> String {
    guard let registered = client.details.requestURIs, self.documents.areFetched else { throw .requestURIUnsupported }
    guard registered.contains(where: { $0.utf8.elementsEqual(uri.utf8) }) else { throw .requestURINotRegistered }
    try Self.checkKeys(of: client)
    // The fragment can contain a hash of the content. It is not part of the URL that is fetched.
    guard let url = ClientLinkedDocuments.openable(String(uri.prefix { $0 != "#" })) else { throw .requestURIUnreachable }
    let isOperatorClient = client.origin == .operator
    let body = await self.fetchedObjects.body(from: .init(client: client.id, uri: uri, isOperatorClient: isOperatorClient)) {
      let hasGrant = try? await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(client) }
      return await self.fetch(url, of: client, hasGrant: hasGrant ?? false, for: address)
    }
    guard let body else { throw .requestURIUnreachable }
    // Text editors end a file with a line break, which a JWT cannot contain.
    var text = String(decoding: body, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  /// Fetches a request object. The fetch counts toward the quota of anonymous callers even if the client is
  /// confidential, because the request comes from a browser.
  /// - Parameter hasGrant: Whether the client has obtained a grant before. Other clients get only a part of the fetches
  ///   per minute (``FetchBudget``).
  private func fetch(
    _ url: EndpointURL, of client: ClientRecord, hasGrant: Bool, for address: ClientAddress
  ) async -> FetchedRequestObjects.Outcome {
    guard let admission = self.quota.admit(.anonymous(address), to: .requestObjects(of: client.id)),
      await self.countUse(admission)
    else { return .overQuota }
    let transport =
      client.origin == .operator
      ? self.documents.transport
      : self.documents.budgetedTransport?.reserve(url, client: client.id, address: address, hasGrant: hasGrant)
    guard let transport else { return .overQuota }
    return .fetched(await ClientLinkedDocuments.fetch(url, over: transport))
  }

  /// Counts one use of the quota.
  /// - Returns: False if the quota is used up or the store fails.
  private func countUse(_ admission: SharedQuota.Admission) async -> Bool {
    let now = self.now()
    let isCounted = try? await self.store.write { (tx) throws(StoreError) in
      try admission.countUnlessReached(in: &tx, at: now)
    }
    return isCounted ?? false
  }
}
