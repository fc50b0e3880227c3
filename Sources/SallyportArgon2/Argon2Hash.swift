import CArgon2
import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A hash of Argon2id, version 1.3, with what it was made with. Stored in the PHC string format:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`.
struct Argon2Hash: Sendable, Equatable {
  let parameters: Argon2Parameters
  let salt: [UInt8]
  let tag: [UInt8]

  var text: String {
    let costs = "m=\(self.parameters.memory),t=\(self.parameters.iterations),p=\(self.parameters.parallelism)"
    return "$argon2id$v=19$\(costs)$\(Self.base64(self.salt))$\(Self.base64(self.tag))"
  }

  init(parameters: Argon2Parameters, salt: [UInt8], tag: [UInt8]) {
    self.parameters = parameters
    self.salt = salt
    self.tag = tag
  }

  /// - Returns: nil for another function or version, for what is not written in the one way in which ``text`` writes it, and for a hash
  ///   that asks for more than four times what is recommended: a row in the database must not be able to exhaust the server.
  init?(_ text: String) {
    let fields = text.split(separator: "$", omittingEmptySubsequences: false)
    guard text.utf8.count <= 256, fields.count == 6, let parameters = Argon2Parameters(costs: fields[3]),
      let salt = Self.bytes(fields[4]), let tag = Self.bytes(fields[5])
    else { return nil }
    self.init(parameters: parameters, salt: salt, tag: tag)
    // RFC 9106 §3.1: the salt should have 16 bytes, and has 8 in the reference implementation's own examples.
    guard salt.count >= 8, tag.count >= 16, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// The hash of a password.
  init(
    of password: [UInt8], _ parameters: Argon2Parameters, salt: [UInt8], tagLength: Int
  ) throws(PasswordHasherError) {
    var tag = [UInt8](repeating: 0, count: tagLength)
    let result = tag.withUnsafeMutableBufferPointer { tag in
      password.withUnsafeBufferPointer { password in
        salt.withUnsafeBufferPointer { salt in Self.compute(tag, of: password, parameters, salt: salt) }
      }
    }
    guard result == ARGON2_OK.rawValue else {
      throw .failed(reason: "libargon2: \(String(cString: argon2_error_message(result)))")
    }
    self.init(parameters: parameters, salt: salt, tag: tag)
  }

  /// Whether the password is the one of this hash: it is hashed in the same way, and the tags are compared in constant time.
  func isOf(_ password: [UInt8]) throws(PasswordHasherError) -> Bool {
    let other = try Argon2Hash(of: password, self.parameters, salt: self.salt, tagLength: self.tag.count)
    return constantTimeEqual(other.tag, self.tag)
  }

  /// libargon2 changes neither password nor salt, though its type lets it.
  private static func compute(
    _ tag: UnsafeMutableBufferPointer<UInt8>, of password: UnsafeBufferPointer<UInt8>, _ parameters: Argon2Parameters,
    salt: UnsafeBufferPointer<UInt8>
  ) -> Int32 {
    var context = argon2_context()
    (context.out, context.outlen) = (tag.baseAddress, UInt32(tag.count))
    (context.pwd, context.pwdlen) = (UnsafeMutablePointer(mutating: password.baseAddress), UInt32(password.count))
    (context.salt, context.saltlen) = (UnsafeMutablePointer(mutating: salt.baseAddress), UInt32(salt.count))
    (context.m_cost, context.t_cost) = (parameters.memory, parameters.iterations)
    (context.lanes, context.threads) = (parameters.parallelism, parameters.parallelism)
    context.version = ARGON2_VERSION_13.rawValue
    (context.allocate_cbk, context.free_cbk) = (HashingMemory.allocate, HashingMemory.free)
    return argon2_ctx(&context, Argon2_id)
  }

  /// Of RFC 4648 §4, without padding.
  private static func base64(_ bytes: [UInt8]) -> String {
    String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map { Array($0) }
  }
}
