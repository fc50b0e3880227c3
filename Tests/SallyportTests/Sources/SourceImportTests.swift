#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Testing

/// Checks which modules and constants the sources use. A new module must be reviewed before it is added to a list.
@Suite("Imports and constants of the sources")
struct SourceImportTests {
  /// The allowed modules that are not for cryptography: libraries of the system, packages, and our own C modules.
  private static let neutral: Set<String> = [
    "Android", "AppKit", "ArgumentParser", "AsyncHTTPClient", "AuthenticationServices", "CLibPQ", "CResources", "CoreFoundation",
    "CoreMetrics", "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking",
    "GRDB", "GRDBSQLite", "Glibc", "HTTPTypes", "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS",
    "Logging", "Metrics", "Mustache", "Musl", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix", "Observation",
    "ServiceLifecycle", "SwiftASN1", "SwiftUI", "Synchronization", "Tracing", "UIKit", "UnixSignals", "WinSDK", "Yams",
    "ucrt",
  ]
  /// The allowed modules for cryptography: CryptoKit, swift-crypto, JWTKit, swift-certificates, TLS (BoringSSL), the
  /// Keychain and Secure Enclave, and the reference implementation of Argon2.
  private static let cryptography: Set<String> = [
    "CArgon2", "Crypto", "CryptoExtras", "CryptoKit", "JWTKit", "NIOSSL", "Security", "X509",
  ]
  /// Modules of the SDK, and the command. `SallyportLook` is left out, because names of CSS properties contain
  /// "webkit".
  private static let sdk = [
    "Sallyport", "SallyportAndroid", "SallyportAsyncHTTPClient", "SallyportCommand", "SallyportDesktop", "SallyportProtocol",
    "SallyportRemote", "SallyportSystem", "SallyportTesting",
  ]

  @Test("C-24: the sources import only listed modules, and contain no constants of hand-written hashes or ciphers")
  func cryptography() throws {
    let sources = try Self.sources(in: "")
    // Fails if the folder was not read completely.
    #expect(sources.count > 500)
    for (file, lines) in sources {
      for module in Self.imports(lines) where !module.hasPrefix("Sallyport") && module != "BrowserDriver" {
        #expect(Self.neutral.contains(module) || Self.cryptography.contains(module), "\(file) imports \(module)")
      }
      // A hand-written implementation of SHA-256, MD5, or AES would contain one of these constants.
      let text = lines.joined(separator: "\n").lowercased().filter { $0 != "_" }
      for constant in ["0x6a09e667", "0x67452301", "0x63, 0x7c, 0x77"] {
        #expect(!text.contains(constant), "\(file) contains \(constant)")
      }
      // One-time passwords use HMAC with SHA-1 (RFC 6238 §1.2), because many authenticator apps support nothing else.
      // The known attacks on SHA-1 do not apply to HMAC (RFC 6194).
      let withoutTOTP = text.replacing("hmac<insecure.sha1>", with: "")
      #expect(!text.contains("insecure.md5") && !withoutTOTP.contains("insecure.sha1"), "\(file) uses a broken hash")
    }
  }

  @Test("C-01: the SDK uses no web view")
  func webViews() throws {
    for module in Self.sdk {
      let sources = try Self.sources(in: module)
      #expect(!sources.isEmpty)
      for (file, lines) in sources {
        #expect(!Self.imports(lines).contains("WebKit"), "\(file) imports WebKit")
        for name in ["WebView", "WebKit", "webkit", "WKScript", "WebContents"] {
          #expect(!lines.contains { $0.contains(name) }, "\(file) uses \(name)")
        }
      }
    }
  }

  @Test("C-01: the only requirement of UserAgent takes a URL and returns nothing, neither a page nor a cookie")
  func userAgentProtocol() throws {
    let lines = try #require(try Self.sources(in: "Sallyport").first { $0.key.hasSuffix("/UserAgent.swift") }?.value)
    let start = try #require(lines.firstIndex(of: "public protocol UserAgent: Sendable {"))
    let requirements = lines[(start + 1)...].prefix { $0 != "}" }
    #expect(Array(requirements) == ["func open(_ url: BrowserURL) async throws(UserAgentError)"])
  }

  @Test("sallyportd does not link the SDK, its loopback receiver, or the browser driver")
  func daemon() throws {
    var modules: Set<String> = []
    var waiting = ["SallyportDaemon"]
    while let module = waiting.popLast() {
      guard modules.insert(module).inserted else { continue }
      let sources = try Self.sources(in: module)
      #expect(!sources.isEmpty)
      waiting += sources.values.flatMap(Self.imports).filter { $0.hasPrefix("Sallyport") || $0 == "BrowserDriver" }
    }
    #expect(modules.isSuperset(of: ["SallyportHTTP", "SallyportServer", "SallyportProtocol"]))
    #expect(modules.isDisjoint(with: ["SallyportDesktop", "BrowserDriver", "Sallyport"]))
  }

  // MARK: Reading the sources

  /// Returns the lines of all Swift files in a folder of `Sources`, by path, without leading spaces and without empty
  /// lines and comment lines.
  private static func sources(in folder: String) throws -> [String: [String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/\(folder)")
      .standardizedFileURL.path
    var sources: [String: [String]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".swift") {
      let text = String(decoding: FileManager.default.contents(atPath: "\(root)/\(path)") ?? Data(), as: UTF8.self)
      sources[path] = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.hasPrefix("//") }
    }
    return sources
  }

  private static func imports(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy(Self.isModifier) else { return nil }
      // Drops the name in `import struct Module.Name`.
      return words.last.map { String($0.prefix { $0 != "." }) }
    }
  }

  private static func isModifier(_ word: Substring) -> Bool {
    ["public", "package", "internal"].contains(word) || word.hasPrefix("@")
  }
}
