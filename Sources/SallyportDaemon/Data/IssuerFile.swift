import FoundationEssentials
import Glibc
import SallyportProtocol

/// The file that contains the issuer with which the server first ran with the data directory. Apps find the server by
/// its issuer, and compare the issuer in tokens and metadata, so changing the issuer signs everyone out.
struct IssuerFile {
  let path: String

  /// The issuer in the file; nil if the file does not exist or cannot be read.
  var issuer: String? {
    FileManager.default.contents(atPath: self.path).flatMap { content in
      String(decoding: content.prefix(2_048), as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
  }

  /// Creates the file if it does not exist.
  /// - Returns: The issuer in the file if it differs from `issuer`; an empty string if the file is empty. Nil if they
  ///   are equal, or if the file was just created. Also nil if the file cannot be read or written, because the server
  ///   can run without it.
  func formerIssuer(insteadOf issuer: Issuer) -> String? {
    guard FileManager.default.contents(atPath: self.path) != nil else {
      try? FileSystem.write(Array("\(issuer)\n".utf8), to: self.path)
      return nil
    }
    let former = self.issuer ?? ""
    return former == issuer.value ? nil : former
  }
}
