#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Unguessable text from the system's cryptographic random number generator.
package enum RandomText {
  /// Base64url text that carries `bits` random bits (256 make 43 characters).
  package static func base64URL(bits: Int = 256) -> String {
    Base64URL.encode(self.bytes(count: bits / 8))
  }

  /// Random bytes from the operating system.
  ///
  /// Drawn at once where the C library can, which is up to 256 (`getentropy`, POSIX.1-2024): the generator makes a system call for each eight.
  package static func bytes(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      filled = count
      #if canImport(Glibc) || canImport(Musl)
        if getentropy(bytes.baseAddress, count) == 0 { return }
      #endif
      var generator = SystemRandomNumberGenerator()
      for index in 0..<count { bytes.initializeElement(at: index, to: generator.next()) }
    }
  }
}
