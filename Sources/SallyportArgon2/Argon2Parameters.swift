/// The cost parameters of a hash (RFC 9106 §3.1).
public struct Argon2Parameters: Sendable, Equatable {
  /// The memory in KiB.
  public var memory: UInt32
  /// The number of passes over the memory.
  public var iterations: UInt32
  /// The number of lanes.
  public var parallelism: UInt32

  /// The parameters that OWASP recommends for Argon2id: 19 MiB, two passes, one lane.
  public static let recommended = Argon2Parameters(memory: 19 * 1024, iterations: 2, parallelism: 1)

  /// Creates parameters. The properties with the same names describe the arguments.
  public init(memory: UInt32, iterations: UInt32, parallelism: UInt32) {
    self.memory = memory
    self.iterations = iterations
    self.parallelism = parallelism
  }

  /// Parses the parameters of a stored hash, such as `m=19456,t=2,p=1`.
  ///
  /// - Returns: Nil if the text does not have this form, if a number has leading zeros or exceeds four times the value
  ///   in ``recommended``, or if the memory is less than 8 KiB per lane, the minimum of RFC 9106 §3.1.
  init?(costs text: Substring) {
    let costs = text.split(separator: ",", omittingEmptySubsequences: false)
    guard costs.count == 3, let memory = Self.value(of: "m", in: costs[0]), let iterations = Self.value(of: "t", in: costs[1]),
      let parallelism = Self.value(of: "p", in: costs[2])
    else { return nil }
    self.init(memory: memory, iterations: iterations, parallelism: parallelism)
    guard self.isAffordable else { return nil }
  }

  /// Whether the server can afford to verify a hash with these parameters.
  var isAffordable: Bool {
    (1...4).contains(self.parallelism) && (1...4 * Self.recommended.iterations).contains(self.iterations)
      && (8 * self.parallelism...4 * Self.recommended.memory).contains(self.memory)
  }

  private static func value(of name: String, in field: Substring) -> UInt32? {
    let digits = field.dropFirst(2)
    guard field.hasPrefix("\(name)="), digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return UInt32(digits)
  }

  /// A hash with these parameters that matches no password, because its tag is all zeros. If an account has no hash,
  /// the password is checked against this one, so that the check takes as long as for other accounts.
  var decoy: String {
    Argon2Hash(parameters: self, salt: Array(repeating: 0, count: 16), tag: Array(repeating: 0, count: 32)).text
  }
}
