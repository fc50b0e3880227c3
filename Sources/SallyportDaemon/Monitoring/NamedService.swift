import ServiceLifecycle

/// A service with what the log calls it.
///
/// Without a name the group would call it by its description, which is made at once and says all that the service holds: every setting, every
/// route. To make it takes longer than all the rest of the start, and it has no place in a log.
struct NamedService: Sendable {
  let name: String
  let service: any Service

  init(_ name: String, _ service: any Service) {
    self.name = name
    self.service = service
  }

  var configuration: ServiceGroupConfiguration.ServiceConfiguration {
    .init(service: self.service, serviceName: self.name)
  }
}
