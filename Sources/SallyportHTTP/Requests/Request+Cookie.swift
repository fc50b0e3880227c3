import HTTPTypes
import Hummingbird

extension Request {
  /// The value of the first cookie of a name (RFC 6265 §5.4: browsers name the one with the longest path first), in whichever of the
  /// fields it stands (RFC 9113 §8.2.3).
  ///
  /// Only the one that is asked for is read: a browser sends what every program of the host has set.
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
