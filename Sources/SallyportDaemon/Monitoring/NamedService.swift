import ServiceLifecycle

/// A service with a name for the log.
///
/// Without a name, `ServiceGroup` uses the service's description, which contains all of its settings and routes.
/// Creating that description takes longer than the rest of the startup, and the description does not belong in a log.
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
