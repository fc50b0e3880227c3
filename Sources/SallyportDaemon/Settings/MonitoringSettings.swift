/// The settings of the monitoring listener.
struct MonitoringSettings: Sendable, Equatable {
  var host = "127.0.0.1"
  /// The port of the listener. Nil turns off the listener and the metrics.
  var port: Int?

  mutating func read(_ reader: inout SettingsReader, listening: (host: String, port: Int)) {
    self.port = reader.readNumber(.metricsPort, 1...65_535)
    self.host = reader.read(.metricsHost, "a host name or an IP address") { $0.isEmpty ? nil : $0 } ?? self.host
    if reader.given(.metricsHost) != nil, reader.given(.metricsPort) == nil {
      reader.report(.metricsHost, "requires \(Setting.metricsPort.rawValue)")
    }
    // Monitoring must not be reachable on the port that browsers and clients use.
    if let port, port == listening.port { reader.report(.metricsPort, "must be different from the port of the server (\(port))") }
  }
}
