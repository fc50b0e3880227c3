/// The settings of the shutdown.
struct ShutdownSettings: Sendable, Equatable {
  /// How long the server still accepts connections after the stop signal. During this time, it reports that it is not
  /// ready.
  var delay: Duration = .zero
  /// How long requests in progress may take to finish.
  var timeout: Duration = .seconds(30)

  mutating func read(_ reader: inout SettingsReader) {
    self.delay = reader.readTime(.shutdownDelay, from: "0s", to: "5m") ?? self.delay
    self.timeout = reader.readTime(.shutdownTimeout, from: "1s", to: "1h") ?? self.timeout
  }
}
