import SallyportSystem

#if os(Windows)
  import Sallyport
  import WinSDK

  /// The generic credentials of the current Windows user on this machine (`advapi32.dll`).
  struct WindowsCredentials: CredentialVault {
    /// `CREDENTIALW` from wincred.h.
    private struct Credential {
      var flags: UInt32 = 0
      /// `CRED_TYPE_GENERIC`
      var type: UInt32 = 1
      var targetName: UnsafeMutablePointer<UInt16>?
      var comment: UnsafeMutablePointer<UInt16>?
      var lastWrittenLow: UInt32 = 0
      var lastWrittenHigh: UInt32 = 0
      var blobSize: UInt32 = 0
      var blob: UnsafeMutablePointer<UInt8>?
      /// `CRED_PERSIST_LOCAL_MACHINE`: the credential stays on this machine and persists across sign-ins to Windows.
      var persist: UInt32 = 2
      var attributeCount: UInt32 = 0
      var attributes: UnsafeMutableRawPointer?
      var targetAlias: UnsafeMutablePointer<UInt16>?
      var userName: UnsafeMutablePointer<UInt16>?
    }

    private typealias Read =
      @convention(c) (
        UnsafePointer<UInt16>?, UInt32, UInt32, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
      ) -> Int32
    private typealias Write = @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Int32
    private typealias Delete = @convention(c) (UnsafePointer<UInt16>?, UInt32, UInt32) -> Int32
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// `CRED_TYPE_GENERIC`
    private static let generic: UInt32 = 1
    /// `ERROR_NOT_FOUND`
    private static let notFound: UInt32 = 1168
    private let library: SharedLibrary

    init() throws(TokenStoreError) {
      guard let library = SharedLibrary("advapi32.dll") else {
        throw .unavailable(reason: "this system has no Credential Manager")
      }
      self.library = library
    }

    func read(_ name: String) throws(TokenStoreError) -> [UInt8]? {
      let read = try self.library.requiredFunction("CredReadW", as: Read.self)
      let free = try self.library.requiredFunction("CredFree", as: Free.self)
      var pointer: UnsafeMutableRawPointer?
      guard read(WindowsText.nullTerminatedUTF16(name), Self.generic, 0, &pointer) != 0, let pointer else {
        try Self.checkNotFound()
        return nil
      }
      defer { free(pointer) }
      let credential = pointer.assumingMemoryBound(to: Credential.self).pointee
      return Array(UnsafeBufferPointer(start: credential.blob, count: Int(credential.blobSize)))
    }

    func write(_ value: [UInt8], _ name: String) throws(TokenStoreError) {
      let write = try self.library.requiredFunction("CredWriteW", as: Write.self)
      var (value, target, user) = (value, WindowsText.nullTerminatedUTF16(name), WindowsText.nullTerminatedUTF16("sallyport"))
      let result = value.withUnsafeMutableBufferPointer { value in
        target.withUnsafeMutableBufferPointer { target in
          user.withUnsafeMutableBufferPointer { user in
            var credential = Credential(
              targetName: target.baseAddress, blobSize: UInt32(value.count), blob: value.baseAddress, userName: user.baseAddress)
            return write(&credential, 0)
          }
        }
      }
      guard result != 0 else { throw Self.failure() }
    }

    func remove(_ name: String) throws(TokenStoreError) {
      let delete = try self.library.requiredFunction("CredDeleteW", as: Delete.self)
      guard delete(WindowsText.nullTerminatedUTF16(name), Self.generic, 0) != 0 else { return try Self.checkNotFound() }
    }

    /// Throws the error of the last call, unless the call failed because the credential does not exist.
    private static func checkNotFound() throws(TokenStoreError) {
      guard GetLastError() == self.notFound else { throw self.failure() }
    }

    private static func failure() -> TokenStoreError {
      // 1312 is ERROR_NO_SUCH_LOGON_SESSION. It occurs in a service, or in a task that runs while no user is signed in.
      let error = SystemError()
      return error.code == 1312
        ? .unavailable(reason: "this Windows session has no Credential Manager") : .failed(reason: "Credential Manager: \(error)")
    }
  }
#endif
