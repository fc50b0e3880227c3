import HTTPTypes
import Hummingbird

extension Request {
  /// Returns the value of the first cookie with this name. If there are several, browsers send the one with the longest
  /// path first (RFC 6265 §5.4). A request may have several `Cookie` fields (RFC 9113 §8.2.3).
  ///
  /// Other cookies are skipped without parsing, because they may belong to other applications on the same host, and
  /// their values may be malformed.
  func cookie(_ name: String) -> String? {
    for field in self.headers where field.name == .cookie {
      for pair in field.value.utf8.split(separator: UInt8(ascii: ";")) {
        let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard pair.starts(with: name.utf8) else { continue }
        let rest = pair.dropFirst(name.utf8.count)
        if rest.first == UInt8(ascii: "=") { return String(Substring(rest.dropFirst())) }
      }
    }
    return nil
  }
}
