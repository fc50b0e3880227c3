#if os(Windows)
  import WinSDK

  /// Finds the process that opened a TCP connection, and the user who owns that process.
  enum WindowsProcesses {
    /// Whether the process that opened a loopback connection belongs to the current user.
    /// - Parameters:
    ///   - peer: The address of the process that opened the connection.
    ///   - local: The address that the process connected to.
    static func owner(peer: SocketAddress, local: SocketAddress) -> PeerOwner {
      guard let table = self.connections(peer.family) else { return .unknown }
      guard let process = WindowsTCPTable.process(in: table, local: peer, remote: local) else { return .otherUser }
      guard let currentUser = self.user(GetCurrentProcess()) else { return .unknown }
      guard let handle = OpenProcess(DWORD(PROCESS_QUERY_LIMITED_INFORMATION), false, process) else {
        // An ordinary user cannot open the processes of other users.
        return GetLastError() == DWORD(ERROR_ACCESS_DENIED) ? .otherUser : .unknown
      }
      defer { CloseHandle(handle) }
      guard let peerUser = self.user(handle) else { return .unknown }
      return currentUser == peerUser ? .sameUser : .otherUser
    }

    /// Returns the system's table of all connections and their processes, or `nil` if the table cannot be read.
    private static func connections(_ family: SocketAddress.Family) -> [UInt8]? {
      var size: DWORD = 1 << 14
      // A call with a buffer that is too small returns the needed size. The table can grow until the next call, so
      // several calls may be necessary.
      for _ in 0..<4 {
        var table = [UInt8](repeating: 0, count: Int(size))
        let result = table.withUnsafeMutableBytes { buffer in
          GetExtendedTcpTable(
            buffer.baseAddress, &size, false, ULONG(family.raw), TCP_TABLE_OWNER_PID_CONNECTIONS, 0)
        }
        if result == DWORD(NO_ERROR) { return table }
        guard result == DWORD(ERROR_INSUFFICIENT_BUFFER) else { return nil }
      }
      return nil
    }

    /// The security identifier of the user that a process runs as, or `nil` if it cannot be read.
    private static func user(_ process: HANDLE) -> [UInt8]? {
      var opened: HANDLE?
      guard OpenProcessToken(process, DWORD(TOKEN_QUERY), &opened), let token = opened else { return nil }
      defer { CloseHandle(token) }
      var size: DWORD = 0
      // The first call returns the size.
      GetTokenInformation(token, TokenUser, nil, 0, &size)
      var information = [UInt8](repeating: 0, count: Int(size))
      return information.withUnsafeMutableBytes { buffer in
        guard buffer.count >= MemoryLayout<UnsafeRawPointer>.size,
          GetTokenInformation(token, TokenUser, buffer.baseAddress, size, &size)
        else { return nil }
        // A TOKEN_USER starts with a pointer to the identifier, which is in the same buffer.
        let identifier = buffer.loadUnaligned(as: UnsafeMutableRawPointer?.self)
        guard let identifier else { return nil }
        return Array(UnsafeRawBufferPointer(start: identifier, count: Int(GetLengthSid(identifier))))
      }
    }
  }
#endif
