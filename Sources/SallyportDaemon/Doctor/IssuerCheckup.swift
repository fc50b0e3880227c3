import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks the responses at the issuer's address, requested as a client does, through any proxy in front of the server.
struct IssuerCheckup<T: Transport> {
  let configuration: ServerConfiguration
  /// The published keys of this data directory. Empty if they are not known.
  let signingKeys: [String]
  let transport: T
  var now: TimeSource = Timestamp.now

  func findings() async -> [Finding] {
    let address = WellKnown.openIDConfiguration(of: self.configuration.issuer)
    let answer: TransportResponse
    do throws(TransportError) { answer = try await self.fetch(address) } catch {
      return [.problem("issuer", "\(address) cannot be reached: \(Self.words(error)) (--offline leaves this out)")]
    }
    guard answer.head.status == .ok else {
      let target = answer.head.headerFields[.location].map { " to \($0)" } ?? ""
      return [
        .problem("issuer", "\(address) answers \(answer.head.status.code)\(target), where 200 is due: apps follow no redirect")
      ]
    }
    guard let document = try? JSONDecoder().decode(ServerMetadata.self, from: Data(answer.body)) else {
      return [.problem("issuer", "\(address) answers something that is no metadata: another program, or a proxy's own page")]
    }
    var found = self.clock(answer) + self.compare(document)
    if found.allSatisfy({ $0.level != .problem }) { found += await self.keys() }
    return Finding.list("issuer", found, otherwise: "\(address) answers as this server does")
  }

  private func fetch(_ address: String) async throws(TransportError) -> TransportResponse {
    guard let url = try? EndpointURL(address) else { throw .unreachable(reason: "no address") }
    return try await self.transport.send(.get(url), body: [], limits: .document)
  }

  private static func words(_ error: TransportError) -> String {
    switch error {
    case .unreachable(let reason): reason
    case .untrusted(let reason): "its certificate is not trusted here: \(reason)"
    case .timedOut: "no answer in time"
    case .bodyTooLarge: "the answer is too large"
    case .cancelled: "cancelled"
    }
  }

  /// Compares the published metadata with our own. Clients compare the issuer byte for byte (RFC 8414 §3.3).
  private func compare(_ document: ServerMetadata) -> [Finding] {
    let own = self.configuration.metadata
    guard document.issuer == own.issuer else {
      return [.problem("issuer", "the address answers as \(document.issuer), and not as \(own.issuer): apps refuse that")]
    }
    let isSame =
      document.authorizationEndpoint == own.authorizationEndpoint && document.tokenEndpoint == own.tokenEndpoint
      && document.jwksURI == own.jwksURI && document.registrationEndpoint == own.registrationEndpoint
    return isSame
      ? []
      : [.warning("issuer", "the address answers with other endpoints: the server that runs was started with other settings")]
  }

  /// Compares the clocks by the `Date` field of the response (RFC 9110 §6.6.1), which a proxy may have set.
  private func clock(_ answer: TransportResponse) -> [Finding] {
    guard let text = answer.head.headerFields[.date], let date = HTTPDate.parse(text) else { return [] }
    let apart = abs(self.now().seconds - date.seconds)
    guard apart > 5 else { return [] }
    let words = "the clock of what answers and the one here are \(apart) seconds apart"
    return [apart > 60 ? .problem("clock", words) : .warning("clock", words)]
  }

  private func keys() async -> [Finding] {
    guard !self.signingKeys.isEmpty else { return [] }
    let address = self.configuration.issuer.url(appending: EndpointPath.jwks)
    guard let answer = try? await self.fetch(address), answer.head.status == .ok,
      let set = try? JSONDecoder().decode(PublishedKeys.self, from: Data(answer.body))
    else { return [.problem("issuer", "\(address) answers no key set")] }
    let published = Set(set.keys.compactMap(\.kid))
    return published.isSuperset(of: self.signingKeys)
      ? [] : [.problem("issuer", "\(address) publishes other keys: the server that runs uses another data directory")]
  }
}

/// The key identifiers of a JWK Set.
private struct PublishedKeys: Decodable {
  struct Key: Decodable { let kid: String? }
  let keys: [Key]
}

/// Parses the preferred format of HTTP dates (RFC 9110 §5.6.7).
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
