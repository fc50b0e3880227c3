/// Identifies a file independently of its name, by the numbers of its device and of its inode.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  /// The number of the inode.
  let file: UInt64
}
