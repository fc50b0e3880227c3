/// An integer modulo p = 2^255 - 19 (RFC 8032 §5.1). The time of operations depends on the values, which are public.
struct FieldElement25519: Hashable, Sendable {
  /// Four parts with 64 bits each, the lowest first. The number is below 2^256, and can be greater than p.
  private var limbs: SIMD4<UInt64>

  init(_ limbs: SIMD4<UInt64>) {
    self.limbs = limbs
  }

  static let zero = Self([0, 0, 0, 0])
  static let one = Self([1, 0, 0, 0])
  /// p - 1
  static let minusOne = Self([UInt64.max - 19, .max, .max, .max >> 1])

  /// Creates the y coordinate of an encoded point from 32 bytes, the lowest first. The highest bit is ignored, because
  /// it is not part of the y coordinate: it is the sign of the x coordinate (RFC 8032 §5.1.2).
  init(littleEndian bytes: [UInt8]) {
    self.limbs = .zero
    for (index, byte) in bytes.enumerated() { self.limbs[index / 8] |= UInt64(byte) << (index % 8 * 8) }
    self.limbs[3] &= .max >> 1
  }

  /// Whether the number is below p.
  var isReduced: Bool {
    // Except for the lowest limb, the limbs of p - 1 are the greatest that a number with 255 bits can have.
    self.limbs[3] < .max >> 1
      || self.limbs[3] == .max >> 1
        && (self.limbs[2] < .max || self.limbs[1] < .max || self.limbs[0] <= Self.minusOne.limbs[0])
  }

  static func + (lhs: Self, rhs: Self) -> Self {
    var sum = lhs
    var carry = sum.add(rhs.limbs)
    // A carry stands for 2^256, which is 38 modulo p.
    while carry { carry = sum.add([38, 0, 0, 0]) }
    return sum
  }

  static func * (lhs: Self, rhs: Self) -> Self {
    var product = SIMD8<UInt64>.zero
    for i in 0..<4 {
      var carry: UInt64 = 0
      for j in 0..<4 {
        let sum = UInt128(lhs.limbs[i]) * UInt128(rhs.limbs[j]) + UInt128(product[i + j]) + UInt128(carry)
        (product[i + j], carry) = (UInt64(truncatingIfNeeded: sum), UInt64(sum >> 64))
      }
      product[i + 4] = carry
    }
    // 2^256 is 38 modulo p, so the upper half is multiplied by 38 and added to the lower one.
    var result = Self(product.lowHalf)
    var carry: UInt64 = 0
    for i in 0..<4 {
      let sum = UInt128(product[i + 4]) * 38 + UInt128(result.limbs[i]) + UInt128(carry)
      (result.limbs[i], carry) = (UInt64(truncatingIfNeeded: sum), UInt64(sum >> 64))
    }
    return result + Self([carry * 38, 0, 0, 0])
  }

  /// Whether the number is a square modulo p (Euler's criterion).
  var isSquare: Bool {
    // (p - 1) / 2 = 2^254 - 10: all bits up to bit 253 are set, except for bits 0 and 3.
    var power = Self.one
    for bit in (0..<254).reversed() {
      power = power * power
      if bit != 0 && bit != 3 { power = power * self }
    }
    let result = power.reduced
    return result == .one || result == .zero
  }

  private var reduced: Self {
    var result = self
    // Subtracts p = 2^255 - 19, by adding 19 and clearing bit 255. If the addition overflows, the limbs lose 2^256,
    // which is 2 · 2^255. Adding 19 a second time then makes this a subtraction of 2p.
    while !result.isReduced {
      if result.add([19, 0, 0, 0]) { _ = result.add([19, 0, 0, 0]) }
      result.limbs[3] &= .max >> 1
    }
    return result
  }

  /// Adds limbs modulo 2^256. Returns whether the sum overflowed.
  private mutating func add(_ other: SIMD4<UInt64>) -> Bool {
    var carry = false
    for i in 0..<4 {
      let (sum, first) = self.limbs[i].addingReportingOverflow(other[i])
      let (total, second) = sum.addingReportingOverflow(carry ? 1 : 0)
      (self.limbs[i], carry) = (total, first || second)
    }
    return carry
  }
}
