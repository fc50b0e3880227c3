import Foundation
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportDesktop

/// Opens encrypted files in version 1 of the format, which every release must be able to read.
@Suite(.timeLimit(.minutes(1)))
struct StoredFileTests {
  /// The names of the files, and their contents in Base64. Do not edit: later releases must open these files.
  private static let files = [
    "key": "EwdwR6qBkrnj+LZkxb+LmW8wo+gu0BDQV+W8/Mk55UQ=",
    "5i7YjunIAbN4RBfIqI-8s0GASn0UQAe8C3bT7-sBJic.sealed":
      "U1BGMWCTv/lqgbVDNyqPUM++XhVeCtnkdGQmDqxcKWASa6aWH7A4vS4Y2cGKbc0tIy0=",
    "IuATetFUwUxOTyuP4P2VGbXCuwKywEKkENihg84zmc0.sealed":
      "U1BGMTryhWDXa8ZmBUFZQvbmVCMVAO2Pt5pn2DTBHTOba/Yhm4+OncXduJ2XSz2VtAoSk46nK3R5",
  ]

  @Test(
    "files in version 1 of the format are opened",
    arguments: [(nil, "the stored session"), ("work", "the session of an account")])
  func opens(account: String?, value: String) async throws {
    let home = TemporaryFolder()
    for (name, content) in Self.files { home.write(name, Array(try #require(Data(base64Encoded: content)))) }
    let key = TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "notes", account: account)
    let stored = try #require(try await EncryptedFileStore(folder: home.path).load(key))
    #expect(String(decoding: stored.reveal(), as: UTF8.self) == value)
  }
}
