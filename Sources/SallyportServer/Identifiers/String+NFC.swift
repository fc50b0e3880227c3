import Foundation

extension String {
  /// The text in Unicode Normalization Form C (Unicode Standard Annex #15).
  ///
  /// This uses ICU instead of `precomposedStringWithCanonicalMapping`, which orders some combining marks incorrectly
  /// after characters outside the Basic Multilingual Plane. See docs/decisions/0076-public-normalization.md.
  package var normalizedToNFC: String {
    // A text whose characters are all below U+0300, where the combining marks begin, is in this form already.
    guard self.unicodeScalars.contains(where: { $0.value >= 0x300 }) else { return self }
    return self.applyingTransform(StringTransform("Any-NFC"), reverse: false) ?? self.precomposedStringWithCanonicalMapping
  }
}
