import ArgumentParser
import HTTPTypes

/// Parses and formats header fields.
enum RequestFields {
  /// The fields that the user cannot set, because the command or the transport sets them.
  private static let reserved: Set<String> = [
    "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection",
  ]

  @Sendable static func field(_ text: String) throws -> HTTPField {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
      throw ValidationError("a header field must have the form \"Name: value\"")
    }
    guard !self.reserved.contains(name.canonicalName) else {
      throw ValidationError("the header field \"\(parts[0])\" is set automatically")
    }
    let value = parts[1].drop { $0 == " " }
    guard value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) || $0 >= 0x80 }) else {
      throw ValidationError("a header field must not contain line breaks or control characters")
    }
    return HTTPField(name: name, value: String(value))
  }

  /// The status line and the header fields of a response, followed by an empty line.
  static func text(of head: HTTPResponse) -> String {
    let fields = head.headerFields.map { "\($0.name.canonicalName): \(Printable.text($0.value, limit: .max))" }
    return (["HTTP \(head.status.code)"] + fields).joined(separator: "\n") + "\n\n"
  }
}
