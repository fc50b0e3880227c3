import Sallyport

#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// A library that is loaded while the program runs, and never unloaded.
struct SharedLibrary: Sendable {
  private let handle: UInt

  /// nil where there is no such library.
  init?(_ name: String) {
    #if os(Windows)
      // LOAD_LIBRARY_SEARCH_SYSTEM32: never one that lies beside the program or in the current folder.
      self.init(opened: LoadLibraryExW(WindowsText.wide(name), nil, 0x0000_0800).map { UnsafeMutableRawPointer($0) })
    #else
      self.init(opened: dlopen(name, RTLD_NOW | RTLD_LOCAL))
    #endif
  }

  private init?(opened handle: UnsafeMutableRawPointer?) {
    guard let handle else { return nil }
    self.handle = UInt(bitPattern: handle)
  }

  #if !os(Windows)
    /// This program with all the libraries that it was linked to.
    static var thisProgram: SharedLibrary? { SharedLibrary(opened: dlopen(nil, RTLD_NOW)) }
  #endif

  /// The address of a symbol of the library or of one that it depends on.
  func address(_ symbol: String) -> UnsafeMutableRawPointer? {
    #if os(Windows)
      GetProcAddress(HMODULE(bitPattern: self.handle), symbol).map { unsafeBitCast($0, to: UnsafeMutableRawPointer.self) }
    #else
      dlsym(UnsafeMutableRawPointer(bitPattern: self.handle), symbol)
    #endif
  }

  /// A function of the library. `type` must be the C type that the library's header declares.
  func function<F>(_ symbol: String, as type: F.Type) throws(TokenStoreError) -> F {
    guard let address = self.address(symbol) else { throw .unavailable(reason: "the library lacks \(symbol)") }
    return unsafeBitCast(address, to: type)
  }
}
