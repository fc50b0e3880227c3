#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Random values from the system's cryptographic random number generator.
package enum RandomText {
  /// Base64url text with `bits` random bits. The number must be a multiple of 8. 256 bits give 43 characters.
  package static func base64URL(bits: Int = 256) -> String {
    Base64URL.encode(self.bytes(count: bits / 8))
  }

  /// Random bytes from the operating system.
  ///
  /// On Linux, up to 256 bytes are read with one call to `getentropy`, because `SystemRandomNumberGenerator` makes a
  /// system call for each byte.
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
