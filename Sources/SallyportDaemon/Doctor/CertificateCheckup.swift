import NIOSSL
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The certificate with which the server speaks TLS itself.
struct CertificateCheckup {
  let files: CertificateFiles
  /// The issuer's.
  let host: String
  var now = Timestamp.now()

  func findings() -> [Finding] {
    do throws(Failure) { _ = try self.files.load() } catch { return [.problem("tls", error.message)] }
    guard let certificate = try? NIOSSLCertificate.fromPEMFile(self.files.certificate).first else { return [] }
    var found: [Finding] = []
    do throws(Failure) { try PrivateFiles.refuseStrangers(self.files.key) } catch { found.append(.problem("tls", error.message)) }
    let end = Timestamp(seconds: Int64(certificate.notValidAfter))
    let day = end.date.formatted(.iso8601)
    if end <= self.now {
      found.append(.problem("tls", "the certificate ended \(day); renew it, and tell the server (SIGHUP)"))
    } else if end < self.now + .seconds(14 * 86_400) {
      found.append(.warning("tls", "the certificate ends \(day); renew it, and tell the server (SIGHUP)"))
    }
    if Timestamp(seconds: Int64(certificate.notValidBefore)) > self.now {
      found.append(.problem("tls", "the certificate is not valid yet: look at the clock"))
    }
    let names = Self.names(of: certificate)
    if !names.contains(where: { Self.covers($0, self.host) }) {
      found.append(.problem("tls", "the certificate is for \(names.joined(separator: ", ")), and not for \(self.host)"))
    }
    return Finding.list("tls", found, otherwise: "the certificate is for \(self.host), until \(day)")
  }

  private static func names(of certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
      String(decoding: $0.contents, as: UTF8.self).lowercased()
    }
  }

  /// RFC 6125 §6.4.3: a star stands for the whole first label.
  static func covers(_ name: String, _ host: String) -> Bool {
    guard name.hasPrefix("*.") else { return name == host }
    return host.drop { $0 != "." }.elementsEqual(name.dropFirst()) && !host.hasPrefix(".")
  }
}
