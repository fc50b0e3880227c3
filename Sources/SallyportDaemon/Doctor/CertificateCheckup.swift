import FoundationEssentials
import NIOCore
import NIOSSL
import SallyportProtocol
import SallyportRemote

/// Checks the certificate of a server that terminates TLS itself.
struct CertificateCheckup {
  let files: CertificateFiles
  /// The issuer's host.
  let host: String
  var now = Timestamp.now()

  func findings() -> [Finding] {
    do throws(Failure) { _ = try self.files.load() } catch { return [.problem("tls", error.message)] }
    guard let certificate = try? NIOSSLCertificate.fromPEMFile(self.files.certificate).first else { return [] }
    var findings: [Finding] = []
    do throws(Failure) { try FileSystem.requireProtected(self.files.key) } catch {
      findings.append(.problem("tls", error.message))
    }
    let end = Timestamp(seconds: Int64(certificate.notValidAfter))
    let day = end.date.formatted(.iso8601)
    if end <= self.now {
      findings.append(.problem("tls", "the certificate expired at \(day); renew it and reload the server (SIGHUP)"))
    } else if end < self.now + .seconds(14 * 86_400) {
      findings.append(.warning("tls", "the certificate expires at \(day); renew it and reload the server (SIGHUP)"))
    }
    if Timestamp(seconds: Int64(certificate.notValidBefore)) > self.now {
      findings.append(.problem("tls", "the certificate is not valid yet; check the clock"))
    }
    let names = Self.names(of: certificate)
    if !names.contains(where: { Self.covers($0, self.host) }) {
      findings.append(
        .problem(
          "tls",
          "the certificate is for \(names.joined(separator: ", ")), but not for the issuer's host \(self.host), so clients reject it"
        ))
    }
    return Finding.list("tls", findings, otherwise: "the certificate for \(self.host) is valid until \(day)")
  }

  /// The host names and addresses of the certificate, as they are written in URLs.
  private static func names(of certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().compactMap { name -> String? in
      switch name.nameType {
      case .dnsName: String(decoding: name.contents, as: UTF8.self).lowercased()
      case .ipAddress: Self.host(ofAddress: Array(name.contents))
      default: nil
      }
    }
  }

  private static func host(ofAddress bytes: [UInt8]) -> String? {
    guard let text = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress else { return nil }
    return bytes.count == 16 ? "[\(text)]" : text
  }

  /// Whether a name in a certificate covers a host. A wildcard stands for the whole first label (RFC 6125 §6.4.3). An
  /// address covers only itself, in any spelling (RFC 9110 §4.3.5).
  static func covers(_ name: String, _ host: String) -> Bool {
    if let address = IPAddress(host: host) { return IPAddress(host: name) == address }
    guard name.hasPrefix("*.") else { return name == host }
    // The host without its first label must be the name without its `*`. An empty first label is not covered.
    return host.drop { $0 != "." }.elementsEqual(name.dropFirst()) && !host.hasPrefix(".")
  }
}
