/// Where the server tells how it is, and how it stops.
struct MonitoringSettings: Sendable, Equatable {
  var host = "127.0.0.1"
  /// Nil for no listener, and nothing measured.
  var port: Int?
  /// From the signal to stop, when the server says that it is not ready, to the moment when it takes no more connections.
  var shutdownDelay: Duration = .zero
  /// For the requests that have begun.
  var shutdownTimeout: Duration = .seconds(30)

  mutating func read(_ reader: inout SettingsReader, listening: (host: String, port: Int)) {
    self.port = reader.readNumber(.metricsPort, 1...65_535)
    self.host = reader.read(.metricsHost, "an address is due") { $0.isEmpty ? nil : $0 } ?? self.host
    if reader.given(.metricsHost) != nil, reader.given(.metricsPort) == nil {
      reader.refuse(.metricsHost, "needs \(Setting.metricsPort.rawValue) beside it")
    }
    // What is for the operator never stands where everybody comes.
    if let port, port == listening.port { reader.refuse(.metricsPort, "is the port of the server itself") }
    self.shutdownDelay = reader.readTime(.shutdownDelay, from: "0s", to: "5m") ?? self.shutdownDelay
    self.shutdownTimeout = reader.readTime(.shutdownTimeout, from: "1s", to: "1h") ?? self.shutdownTimeout
  }
}
