import SallyportProtocol
import SallyportServer

/// Reports problems of the registered clients:
/// - registrations by operators that are invalid or weak
/// - clients that require an authentication level (`acr`) that the server does not offer
/// - schemes that several clients share
/// - a number of dynamic clients that is near its limit
struct ClientsCheckup {
  let clients: [ClientRecord]
  let configuration: ServerConfiguration

  private var policy: RegistrationPolicy { self.configuration.registration }

  func findings() -> [Finding] {
    var findings: [Finding] = []
    for client in self.clients {
      guard let context = client.details.requiredContext, !self.configuration.offersLevel(context) else { continue }
      findings.append(
        .problem(
          "clients",
          "\(client.id.rawValue): users cannot sign in, because the server does not offer the required level \"\(context)\" (require_acr)"
        ))
    }
    for client in self.clients where client.origin == .operator {
      findings += client.registration(self.policy.schemes).problems().map {
        .problem("clients", "\(client.id.rawValue): \($0.explanation())")
      }
    }
    // This warning is only for clients that an operator registered. MCP clients register localhost themselves, which
    // the operator cannot change.
    for client in self.clients
    where client.origin == .operator && client.redirectURIs.contains(where: { $0.kind == .loopback(.localhost) }) {
      findings.append(
        .warning(
          "clients",
          "\(client.id.rawValue) has a redirect URI on localhost; use 127.0.0.1 and [::1] instead (RFC 8252 §8.3)"))
    }
    findings += SharedScheme.find(in: self.clients).map { .warning("clients", $0.warning) }
    let dynamicClients = self.clients.filter { $0.origin == .dynamic }.count
    // At least 90 percent of the limit.
    if dynamicClients * 10 >= self.policy.maximumClients * 9 {
      findings.append(
        .warning(
          "clients",
          "\(dynamicClients) clients have registered themselves; at \(self.policy.maximumClients) (registration.limit), a new client is rejected unless it can replace an unused client"
        )
      )
    }
    let count = self.clients.count
    return Finding.list(
      "clients", findings,
      otherwise: "\(count) \(count == 1 ? "client" : "clients"); the registrations by operators are valid")
  }
}

extension ClientRecord {
  /// The registration with which an operator would create this client. It has no secret, because the database stores
  /// only the secret's fingerprint.
  fileprivate func registration(_ schemes: Set<String>) -> ClientRegistration {
    let kind: ClientRegistration.Kind =
      self.applicationType == .native ? .native : self.grantTypes == [.clientCredentials] ? .service : .web
    var registration = ClientRegistration(
      id: self.id.rawValue, name: self.name, kind: kind, redirectURIs: self.redirectURIs.map(\.value),
      scope: self.scope.description, signingAlgorithm: self.signingAlgorithm)
    registration.schemes = schemes
    registration.requiredContext = self.details.requiredContext
    registration.authenticationMethod = self.authenticationMethod
    registration.keys = self.keys
    registration.additionalGrantTypes = self.grantTypes
    registration.postLogoutRedirectURIs = self.details.postLogoutRedirectURIs ?? []
    registration.resources = self.details.resources ?? []
    registration.audiences = self.details.audiences ?? []
    registration.metadata.backchannelLogoutURI = self.details.backchannelLogoutURI
    registration.metadata.contacts = self.details.contacts
    registration.metadata.clientURI = self.details.clientURI
    registration.metadata.policyURI = self.details.policyURI
    registration.metadata.termsOfServiceURI = self.details.termsOfServiceURI
    return registration
  }
}
