import FoundationEssentials
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer

/// Checks the responses at the issuer's address as a client receives them, through any proxy in front of the server.
struct IssuerCheckup<T: Transport> {
  let configuration: SallyportServer.ServerConfiguration
  /// The `kid` of each key that a server with this data directory publishes. Empty if the keys are not known.
  let signingKeys: [String]
  let transport: T
  var now: TimeSource = Timestamp.now

  func findings() async -> [Finding] {
    let address = WellKnown.openIDConfiguration(of: self.configuration.issuer)
    let response: TransportResponse
    do throws(TransportError) { response = try await self.fetch(address) } catch {
      return [
        .problem("issuer", "\(address) cannot be reached: \(error.explanation) (use --offline to skip this check)")
      ]
    }
    guard response.head.status == .ok else {
      let target = response.head.headerFields[.location].map { ", a redirect to \($0)," } ?? ""
      return [
        .problem(
          "issuer",
          "\(address) returns the status \(response.head.status.code)\(target) instead of 200; check the proxy, because apps need the metadata at exactly this address"
        )
      ]
    }
    guard let document = try? JSONDecoder().decode(ServerMetadata.self, from: Data(response.body)) else {
      return [
        .problem("issuer", "the response from \(address) is not valid metadata; it may come from another program or a proxy")
      ]
    }
    var findings = self.clock(response) + self.compare(document)
    if findings.allSatisfy({ $0.level != .problem }) { findings += await self.keys() }
    return Finding.list("issuer", findings, otherwise: "\(address) leads to this server")
  }

  private func fetch(_ address: String) async throws(TransportError) -> TransportResponse {
    guard let url = try? EndpointURL(address) else { throw .unreachable(reason: "the URL is invalid") }
    return try await self.transport.send(.get(url), body: [], limits: .document)
  }

  /// Compares the issuer and the main endpoints in the published metadata with this configuration. Clients compare the
  /// issuer byte for byte (RFC 8414 §3.3).
  private func compare(_ document: ServerMetadata) -> [Finding] {
    let own = self.configuration.metadata()
    guard document.issuer == own.issuer else {
      return [
        .problem(
          "issuer",
          "the metadata names the issuer \(document.issuer) instead of \(own.issuer), so apps reject it; check which server responds at this address"
        )
      ]
    }
    let isSame =
      document.authorizationEndpoint == own.authorizationEndpoint && document.tokenEndpoint == own.tokenEndpoint
      && document.jwksURI == own.jwksURI && document.registrationEndpoint == own.registrationEndpoint
    return isSame
      ? []
      : [
        .warning(
          "issuer",
          "the metadata does not match these settings; restart the server if they have changed, or run doctor with the options of 'serve'"
        )
      ]
  }

  /// Compares this machine's clock with the `Date` field of the response (RFC 9110 §6.6.1), which a proxy may have set.
  private func clock(_ response: TransportResponse) -> [Finding] {
    guard let field = response.head.headerFields[.date], let date = HTTPDate.parse(field) else { return [] }
    let difference = abs(self.now().seconds - date.seconds)
    // The field has no fractions of a second, and the request takes time, so small differences are not reported. A
    // difference of more than 60 seconds is more than the SDK tolerates by default (`clockSkew`).
    guard difference > 5 else { return [] }
    let text = "the Date header of the issuer's response differs from this machine's clock by \(difference) seconds"
    return [difference > 60 ? .problem("clock", text) : .warning("clock", text)]
  }

  private func keys() async -> [Finding] {
    guard !self.signingKeys.isEmpty else { return [] }
    let address = self.configuration.issuer.url(appending: EndpointPath.jwks)
    guard let response = try? await self.fetch(address), response.head.status == .ok,
      let set = try? JSONDecoder().decode(PublishedKeys.self, from: Data(response.body))
    else { return [.problem("issuer", "the response from \(address) is not a JWK Set")] }
    let published = Set(set.keys.compactMap(\.kid))
    return published.isSuperset(of: self.signingKeys)
      ? []
      : [
        .problem(
          "issuer",
          "\(address) does not publish the keys of this data directory; the running server uses a different data directory")
      ]
  }
}

/// The key identifiers of a JWK Set.
private struct PublishedKeys: Decodable {
  struct Key: Decodable { let kid: String? }
  let keys: [Key]
}

/// Parses the preferred format of HTTP dates (RFC 9110 §5.6.7), for example `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  static func parse(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, let month = months.firstIndex(where: { $0 == parts[2] }) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let date = try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    return date.map { Timestamp(seconds: Int64($0.timeIntervalSince1970)) }
  }
}
