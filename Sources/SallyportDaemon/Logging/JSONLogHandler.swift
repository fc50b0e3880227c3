import FoundationEssentials
import Logging
import SallyportProtocol

/// Writes each log line as a JSON object with `time`, `level`, `message`, `logger`, and the metadata.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  let label: String
  /// Writes a line. The text does not end with a line break.
  var output: @Sendable (String) -> Void = { Console.printMessage($0) }
  var now: TimeSource = Timestamp.now

  init(label: String) {
    self.label = label
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { self.metadata[key] }
    set { self.metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var fields = self.metadata
    if let provided = self.metadataProvider?.get() { fields.merge(provided) { $1 } }
    if let metadata = event.metadata { fields.merge(metadata) { $1 } }
    // Only the type of an error is logged, because its text can contain untrusted input.
    if let error = event.error { fields["error"] = "\(type(of: error))" }
    fields["time"] = "\(self.now().iso8601)"
    fields["level"] = "\(event.level)"
    fields["message"] = "\(event.message)"
    fields["logger"] = "\(self.label)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(fields.mapValues(JSONLogValue.init)) else { return }
    self.output(String(decoding: line, as: UTF8.self))
  }
}

/// A metadata value in JSON. Everything except arrays and dictionaries is a string.
private struct JSONLogValue: Encodable {
  let value: Logger.Metadata.Value

  init(_ value: Logger.Metadata.Value) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    switch self.value {
    case .dictionary(let values): try values.mapValues(Self.init).encode(to: encoder)
    case .array(let values): try values.map(Self.init).encode(to: encoder)
    default:
      var container = encoder.singleValueContainer()
      try container.encode("\(self.value)")
    }
  }
}
