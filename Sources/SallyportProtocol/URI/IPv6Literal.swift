/// The IPv6 literal of a URI, RFC 3986 §3.2.2, without a zone and without the dotted form of an IPv4 address at its end.
enum IPv6Literal {
  /// - Parameter host: with its brackets.
  static func isValid(_ host: String) -> Bool {
    let halves = host.dropFirst().dropLast().split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = halves.flatMap { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
    }
    let isWellFormed = groups.allSatisfy { group in
      (1...4).contains(group.utf8.count) && group.utf8.allSatisfy { PercentEncoding.hexValue($0) != nil }
    }
    return isWellFormed && (halves.count == 2 ? groups.count <= 7 : groups.count == 8)
  }
}
