import ArgumentParser
import SallyportProtocol

/// Reads secrets that the user specified in files.
enum SecretFile {
  /// Reads a client secret from a file: the secret alone, or the JSON that Google offers for download.
  static func readClientSecret(_ path: String) throws -> Secret<String> {
    let option = "--client-secret-file"
    let content = try self.content(path, option: option)
    guard content.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) == UInt8(ascii: "{") else {
      return try self.word(content, option: option)
    }
    guard case .string(let secret)? = JSONValue.members(of: content)?["installed"]?["client_secret"] else {
      throw ValidationError(
        "\(option): the file contains JSON without \"installed.client_secret\". Specify a file with only the client secret, or the file "
          + "that Google offers for a client of the type \"Desktop app\".")
    }
    return try self.word(Array(secret.utf8), option: option)
  }

  /// Reads a secret or token from a file that contains nothing else, except for spaces and line breaks around it.
  /// - Parameters:
  ///   - path: The path, or "-" for standard input.
  ///   - option: The name of the option, for the error.
  static func read(_ path: String, option: String) throws -> Secret<String> {
    try self.word(self.content(path, option: option), option: option)
  }

  private static func content(_ path: String, option: String) throws -> [UInt8] {
    if let content = Input.file(path, limit: Self.maximumSize) { return content }
    // The error doesn't repeat a value that names no file, because some users specify the secret itself.
    guard path == "-" || Input.exists(path) else {
      throw ValidationError("\(option): there is no such file. Specify the path of a file.")
    }
    throw ValidationError(
      "\(option): the file \"\(Printable.text(path))\" cannot be read, or has more than \(Self.maximumSize) bytes.")
  }

  /// The maximum size of a file, in bytes.
  private static let maximumSize = 8192

  private static func word(_ content: [UInt8], option: String) throws -> Secret<String> {
    let words = content.split { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
    guard let word = words.first, words.count == 1, word.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ValidationError("\(option): the file must contain only the secret or token, without spaces or line breaks in it.")
    }
    return Secret(String(decoding: word, as: UTF8.self))
  }
}
