import ArgumentParser
import SallyportServer

/// The Apple and Android apps of a client, which can be part of its registration (RFC 8252 §8.4). The server publishes
/// association files that name these apps.
struct AssociationOptions: ParsableArguments {
  @Option(
    name: .customLong("apple-app-id"),
    help: "The team ID and bundle identifier of an Apple app, such as TEAMID1234.com.example.app. Repeatable.")
  var appleAppIDs: [String] = []
  @Option(help: "The package name of an Android app, such as com.example.app.") var androidPackage: String?
  @Option(
    name: .customLong("android-cert-sha256"),
    help: "The SHA-256 digest of the Android app's signing certificate, in hexadecimal with colons. Repeatable.")
  var androidCertificates: [String] = []

  /// Checks the options and adds them to the record. Without any of the options, changes nothing.
  func add(to record: inout ClientRecord) throws {
    guard !self.appleAppIDs.isEmpty || self.androidPackage != nil || !self.androidCertificates.isEmpty else { return }
    guard record.applicationType == .native else { throw Failure("--apple-app-id and --android-package require --type native") }
    guard self.appleAppIDs.allSatisfy(Self.isAppleAppID) else {
      throw Failure("--apple-app-id must be the team's ten letters and digits, a period, and the bundle identifier")
    }
    if !self.appleAppIDs.isEmpty { record.details.appleAppIDs = self.appleAppIDs }
    let (hasPackage, hasCertificates) = (self.androidPackage != nil, !self.androidCertificates.isEmpty)
    guard hasPackage == hasCertificates else {
      throw Failure("--android-package and --android-cert-sha256 require each other")
    }
    guard let package = self.androidPackage else { return }
    guard Self.isPackage(package) else {
      throw Failure("--android-package must consist of names with letters, digits, and _, separated by periods")
    }
    let digests = self.androidCertificates.map { $0.uppercased() }
    guard digests.allSatisfy(Self.isDigest) else {
      throw Failure("--android-cert-sha256 must be 32 hexadecimal bytes separated by colons, as 'keytool -list' prints them")
    }
    record.details.androidApps = [ClientDetails.AndroidApp(package: package, certificateDigests: digests)]
  }

  static func isAppleAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 10, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      return false
    }
    return !parts[1].isEmpty && parts[1].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
  }

  static func isPackage(_ text: String) -> Bool {
    let names = text.split(separator: ".", omittingEmptySubsequences: false)
    return names.count >= 2
      && names.allSatisfy { name in
        name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      }
  }

  static func isDigest(_ text: String) -> Bool {
    let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
    return bytes.count == 32 && bytes.allSatisfy { $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
  }
}
