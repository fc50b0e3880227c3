/// IPv6 literals in URIs (RFC 3986 §3.2.2), without a zone and without an embedded IPv4 address in dotted form.
enum IPv6Literal {
  /// - Parameter host: The literal with its brackets.
  static func isValid(_ host: String) -> Bool {
    let halves = host.dropFirst().dropLast().split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = halves.flatMap { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
    }
    let isWellFormed = groups.allSatisfy { group in
      (1...4).contains(group.utf8.count) && group.utf8.allSatisfy { PercentEncoding.hexValue($0) != nil }
    }
    // `::` stands for at least one of the eight groups. A second `::` leaves an empty group, which is not well formed.
    return isWellFormed && (halves.count == 2 ? groups.count <= 7 : groups.count == 8)
  }
}
