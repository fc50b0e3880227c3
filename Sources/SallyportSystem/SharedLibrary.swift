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

/// A library that is loaded at run time and never unloaded.
package struct SharedLibrary: Sendable {
  /// The handle as an integer, because pointers are not `Sendable`.
  private let handle: UInt

  /// Returns `nil` if the library cannot be loaded.
  package init?(_ name: String) {
    #if os(Windows)
      // LOAD_LIBRARY_SEARCH_SYSTEM32: load it only from the system folder.
      self.init(
        opened: LoadLibraryExW(Array(name.utf16) + [0], nil, 0x0000_0800).map { UnsafeMutableRawPointer($0) })
    #else
      self.init(opened: dlopen(name, RTLD_NOW | RTLD_LOCAL))
    #endif
  }

  private init?(opened handle: UnsafeMutableRawPointer?) {
    guard let handle else { return nil }
    self.handle = UInt(bitPattern: handle)
  }

  #if !os(Windows)
    /// This program and all the libraries that it is linked with.
    package static var thisProgram: SharedLibrary? { SharedLibrary(opened: dlopen(nil, RTLD_NOW)) }
  #endif

  /// The address of a symbol of the library or, except on Windows, of its dependencies; `nil` if there is no such
  /// symbol.
  package func address(_ symbol: String) -> UnsafeMutableRawPointer? {
    #if os(Windows)
      GetProcAddress(HMODULE(bitPattern: self.handle), symbol).map { unsafeBitCast($0, to: UnsafeMutableRawPointer.self) }
    #else
      dlsym(UnsafeMutableRawPointer(bitPattern: self.handle), symbol)
    #endif
  }

  /// The function at ``address(_:)``, or `nil` if there is no such symbol. `type` must match the declaration in the
  /// library's C header.
  package func function<F>(_ symbol: String, as type: F.Type) -> F? {
    self.address(symbol).map { unsafeBitCast($0, to: type) }
  }
}
