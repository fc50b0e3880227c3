import Glibc
import SallyportProtocol
import Synchronization
import TestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import SallyportDesktop

/// A token endpoint on a loopback port that accepts codes and rotates refresh tokens. A refresh with `r-1` returns
/// `a-2` and `r-2`, and so on.
///
/// With a reuse interval, a refresh with the immediate predecessor of the current refresh token returns the current
/// tokens again. A refresh with any other token ends the grant, because the token may be stolen (RFC 9700 §4.14.2).
final class TokenServer: Sendable {
  private struct State {
    var current = 1
    var requests = 0
    var isRevoked = false
    /// If not `nil`, the next rotation gets no response, and this gate opens after it.
    var withheldResponse: Gate?
  }

  let issuer: String
  private let listener: Int32
  private let hasReuseInterval: Bool
  private let state = Mutex(State())

  init(hasReuseInterval: Bool) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    _ = SocketAddress.loopback(.ipv4, port: 0).withSystemAddress { bind(listener, $0, $1) }
    listen(listener, 256)
    self.listener = listener
    self.hasReuseInterval = hasReuseInterval
    self.issuer = "http://127.0.0.1:\(SocketAddress { getsockname(listener, $0, $1) }?.port ?? 0)"
    DedicatedThread.start("token-server") { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else {
          if connection >= 0 { close(connection) }
          close(listener)
          return
        }
        DedicatedThread.start("token-server") { self.serve(connection) }
      }
    }
  }

  /// The accepting thread closes the listener, so that its descriptor isn't reused while the thread still uses it.
  deinit { shutdown(self.listener, Int32(SHUT_RDWR)) }

  /// The number of refresh requests.
  var requests: Int { self.state.withLock { $0.requests } }
  /// The number of times that the refresh token was replaced.
  var rotations: Int { self.state.withLock { $0.current - 1 } }

  /// Sends no response to the next rotation.
  /// - Returns: A gate that opens after the rotation.
  func withholdNextResponse() -> Gate {
    let gate = Gate()
    self.state.withLock { $0.withheldResponse = gate }
    return gate
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var request = ""
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while !Self.isComplete(request) {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += String(decoding: buffer[..<count], as: UTF8.self)
    }
    guard let (status, body) = request.hasPrefix("GET ") ? (200, self.metadata) : self.response(request) else {
      // Wait until the client closes the connection.
      _ = recv(connection, &buffer, buffer.count, 0)
      return
    }
    let response = Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
    _ = response.withUnsafeBytes { systemSend(connection, $0) }
  }

  private static func isComplete(_ request: String) -> Bool {
    guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
    let length = request.lowercased().split(separator: "content-length: ").dropFirst().first
    return request[end.upperBound...].utf8.count >= length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
  }

  private var metadata: String {
    guard let server = try? TestIssuer(self.issuer), let json = try? JSONEncoder().encode(server.metadata) else { return "" }
    return String(decoding: json, as: UTF8.self)
  }

  /// - Returns: `nil` if no response is sent.
  private func response(_ request: String) -> (status: Int, body: String)? {
    let form = request.firstRange(of: "\r\n\r\n").flatMap { try? FormParameters(parsing: request[$0.upperBound...]) }
    if form?["grant_type"] == "authorization_code" { return Self.exchange(form) }
    let token = form?["refresh_token"] ?? ""
    let (response, withheld): ((Int, String), Gate?) = self.state.withLock { state in
      state.requests += 1
      if !state.isRevoked, token == "r-\(state.current)" {
        state.current += 1
        defer { state.withheldResponse = nil }
        return (Self.tokens(state.current, form?["resource"]), state.withheldResponse)
      }
      if self.hasReuseInterval, !state.isRevoked, token == "r-\(state.current - 1)" {
        return (Self.tokens(state.current, form?["resource"]), nil)
      }
      state.isRevoked = true
      return ((400, #"{"error":"invalid_grant"}"#), nil)
    }
    withheld?.open()
    return withheld == nil ? response : nil
  }

  /// Accepts a code only together with its verifier (RFC 7636 §4.6). As the code, the tests use the `code_challenge` of
  /// the authorization request.
  private static func exchange(_ form: FormParameters?) -> (status: Int, body: String) {
    let verifier = form?["code_verifier"].flatMap { try? CodeVerifier($0) }
    guard let verifier, verifier.challenge.value == form?["code"] else { return (400, #"{"error":"invalid_grant"}"#) }
    return self.tokens(1)
  }

  /// - Parameter resource: The API that the access token is for, if any. The access token then begins with this URI
  ///   instead of "a".
  private static func tokens(_ number: Int, _ resource: String? = nil) -> (Int, String) {
    let access = "\(resource ?? "a")-\(number)"
    return (
      200, #"{"access_token":"\#(access)","refresh_token":"r-\#(number)","token_type":"Bearer","expires_in":600}"#
    )
  }
}
