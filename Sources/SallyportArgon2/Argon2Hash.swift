import CArgon2
import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An Argon2id hash, version 1.3, with its parameters and salt. It is stored in the PHC string format:
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

  /// Parses a stored hash.
  /// - Returns: Nil if the text is not an Argon2id hash of version 1.3 in exactly the form that the property ``text``
  ///   has, if it is longer than 256 bytes, if the parameters are outside the accepted range, or if the salt or the tag
  ///   is too short. The parameters are limited because a modified row in the database could otherwise exhaust the
  ///   server's memory.
  init?(_ text: String) {
    let fields = text.split(separator: "$", omittingEmptySubsequences: false)
    guard text.utf8.count <= 256, fields.count == 6, let parameters = Argon2Parameters(costs: fields[3]),
      let salt = Self.bytes(fields[4]), let tag = Self.bytes(fields[5])
    else { return nil }
    self.init(parameters: parameters, salt: salt, tag: tag)
    // RFC 9106 §3.1 recommends a salt of 16 bytes. Shorter salts are accepted down to 8 bytes, the minimum of
    // libargon2. The tag must have at least 16 bytes, although libargon2 accepts shorter ones.
    guard salt.count >= 8, tag.count >= 16, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// Hashes a password.
  /// - Parameter tagLength: The length of the tag in bytes.
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

  /// Whether this is the hash of `password`. The tags are compared in constant time.
  func matches(_ password: [UInt8]) throws(PasswordHasherError) -> Bool {
    let computed = try Argon2Hash(of: password, self.parameters, salt: self.salt, tagLength: self.tag.count)
    return constantTimeEqual(computed.tag, self.tag)
  }

  /// Runs libargon2, which does not change the password or the salt although it takes mutable pointers.
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

  /// Base64 without padding (RFC 4648 §4).
  private static func base64(_ bytes: [UInt8]) -> String {
    String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text + padding).map { Array($0) }
  }
}
