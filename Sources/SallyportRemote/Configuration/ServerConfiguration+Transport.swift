import HTTPTypes

extension ServerConfiguration {
  /// Returns a transport that adds ``headers`` to each request.
  package func transport(over transport: any Transport) -> any Transport {
    self.headers.isEmpty ? transport : HeaderTransport(headers: self.headers, transport: transport)
  }
}

/// Adds header fields to requests to the authorization server.
private struct HeaderTransport: Transport {
  let headers: HTTPFields
  let transport: any Transport

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    var request = request
    // The client's own fields have priority, because some of them authenticate the request.
    let own = request.headerFields
    for field in self.headers where !own.contains(field.name) { request.headerFields.append(field) }
    return try await self.transport.send(request, body: body, limits: limits)
  }
}
