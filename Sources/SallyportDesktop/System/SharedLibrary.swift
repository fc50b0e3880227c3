import Sallyport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A library that is loaded while the program runs, and never unloaded.
struct SharedLibrary: Sendable {
  private let handle: UInt

  /// nil where there is no such library.
  init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = UInt(bitPattern: handle)
  }

  /// The address of a symbol of the library or of one that it depends on.
  func address(_ symbol: String) -> UnsafeMutableRawPointer? {
    dlsym(UnsafeMutableRawPointer(bitPattern: self.handle), symbol)
  }

  /// A function of the library. `type` must be the C type that the library's header declares.
  func function<F>(_ symbol: String, as type: F.Type) throws(TokenStoreError) -> F {
    guard let address = self.address(symbol) else { throw .unavailable(reason: "the library lacks \(symbol)") }
    return unsafeBitCast(address, to: type)
  }
}
