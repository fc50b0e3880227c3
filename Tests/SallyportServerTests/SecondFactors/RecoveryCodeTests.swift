import SallyportProtocol
import ServerTestSupport
import Testing

@testable import SallyportServer

@Suite("Recovery codes")
struct RecoveryCodeTests {
  @Test("a code has three groups of four characters, from an alphabet of 32 characters that do not look alike")
  func format() throws {
    let codes = (0..<200).map { _ in RecoveryCode.random().displayed.reveal() }
    #expect(Set(codes).count == codes.count)
    for code in codes { #expect(code.wholeMatch(of: /[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}/) != nil) }
    #expect(Set(codes.joined()).subtracting(["-"]).count == 32)
  }

  @Test(
    "case, white space, hyphens, width, and the script of digits do not matter, and similar letters are read as digits",
    arguments: [
      "01ab-cdef-ghjk", "01ABCDEFGHJK", " 01ab cdef ghjk ", "OLab-cdef-ghjk", "oIAB-CDEF-GHJK", "0-1-a-b-c-d-e-f-g-h-j-k",
      "٠١ab-cdef-ghjk", "０１ａｂ－ｃｄｅｆ－ｇｈｊｋ", "ＯＬＡＢ　ＣＤＥＦ　ＧＨＪＫ", "01ab\u{2011}cdef\u{A0}ghjk\n",
    ])
  func parsing(text: String) {
    #expect(RecoveryCode(text)?.text.reveal() == "01abcdefghjk")
  }

  @Test(
    "any other text is not a recovery code",
    arguments: ["", "123456", "01ab-cdef-ghj", "01ab-cdef-ghjkm", "01ab-cdef-ghju", "01ab_cdef_ghjk", "01ab-cdef-ghjé", "\u{0}"])
  func otherText(text: String) {
    #expect(RecoveryCode(text) == nil)
  }

  @Test("fingerprints depend on the account and on the master key")
  func fingerprints() throws {
    let code = RecoveryCode.random()
    let (ada, bob) = (AccountID(rawValue: "ada"), AccountID(rawValue: "bob"))
    let codes = RecoveryCodes(try TestKeys.masterKey())
    let codesOfOtherKey = RecoveryCodes(try #require(MasterKey(MasterKey.randomMaterial())))
    #expect(codes.fingerprint(of: code, account: ada) == codes.fingerprint(of: code, account: ada))
    #expect(codes.fingerprint(of: code, account: ada) != codes.fingerprint(of: code, account: bob))
    #expect(codes.fingerprint(of: code, account: ada) != codesOfOtherKey.fingerprint(of: code, account: ada))
  }
}
