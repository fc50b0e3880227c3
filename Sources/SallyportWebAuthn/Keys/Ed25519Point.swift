/// Checks points of Ed25519, because the cryptographic library accepts any 32 bytes as a public key.
enum Ed25519Point {
  /// Whether bytes encode a point on the curve (RFC 8032 §5.1.3) whose order is not small.
  ///
  /// For a key of small order, anyone can create valid signatures.
  static func isValid(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 32 else { return false }
    let y = FieldElement25519(littleEndian: bytes)
    guard y.isReduced, !self.smallOrder.contains(y) else { return false }
    // x² = (y² - 1) / (d·y² + 1) has a solution if the product of numerator and denominator is a square.
    let square = y * y
    return ((square + .minusOne) * (self.d * square + .one)).isSquare
  }

  /// The curve's constant d (RFC 8032 §5.1).
  private static let d = FieldElement25519([
    0x75EB_4DCA_1359_78A3, 0x0070_0A4D_4141_D8AB, 0x8CC7_4079_7779_E898, 0x5203_6CEE_2B6F_FE73,
  ])

  /// The y-coordinates of the 8 points whose order is 1, 2, 4, or 8.
  private static let smallOrder: [FieldElement25519] = [
    .zero, .one, .minusOne,
    FieldElement25519([0xB027_B2C2_8F95_E826, 0xF098_EFF2_89F4_C345, 0x3933_C6D3_05AC_DFD5, 0x05FC_536D_8802_38B1]),
    FieldElement25519([0x4FD8_4D3D_706A_17C7, 0x0F67_100D_760B_3CBA, 0xC6CC_392C_FA53_202A, 0x7A03_AC92_77FD_C74E]),
  ]
}
