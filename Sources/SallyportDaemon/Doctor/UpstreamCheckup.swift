import SallyportProtocol
import SallyportRemote
import SallyportServer

/// Checks whether the metadata of the providers through which users sign in can be fetched and used.
struct UpstreamCheckup {
  let upstreams: [UpstreamRecord]
  let transport: any Transport

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    for upstream in self.upstreams where upstream.disabledAt == nil {
      guard let issuer = try? Issuer(upstream.issuer) else { continue }
      do throws(DiscoveryError) {
        let tenants = upstream.details.tenantIssuer.map { TenantPolicy(issuerTemplate: $0) }
        _ = try await UpstreamDiscovery.metadata(of: issuer, tenants: tenants, over: self.transport)
        findings.append(.ok("upstream", "the provider \(upstream.id) (\(issuer)) can be reached"))
      } catch {
        findings.append(
          .warning("upstream", "users cannot sign in through \(upstream.id): \(Self.explanation(of: error, issuer: issuer))"))
      }
    }
    return findings
  }

  /// Explains why the metadata of a provider cannot be used.
  static func explanation(of error: DiscoveryError, issuer: Issuer) -> String {
    switch error {
    case .document(.transport(let error)): "cannot reach \(issuer): \(error.explanation)"
    case .document(.status(let status)): "\(issuer) has no OpenID configuration: it responded with status \(status)"
    case .document(.redirected): "the OpenID configuration of \(issuer) redirects to another server, or too many times"
    case .document(.notJSON), .document(.malformed): "the OpenID configuration of \(issuer) is not valid JSON"
    case .issuerMismatch(let found):
      "issuer mismatch: the metadata names \"\(found)\", not \"\(issuer)\"; use the issuer exactly as the provider spells it"
    case .missing(let endpoint): "the metadata of \(issuer) has no \(endpoint.rawValue)"
    case .endpoint(let endpoint, _): "the \(endpoint.rawValue) of \(issuer) is not a valid URL"
    case .downgrade(let endpoint):
      "the \(endpoint.rawValue) of \(issuer) is not https, or is in a private network although the issuer is not"
    case .s256NotSupported: "\(issuer) does not support the code challenge method S256"
    case .codeNotSupported: "\(issuer) does not support the response type code"
    }
  }
}
