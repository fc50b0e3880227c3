/// Identifies a file independently of its name.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let file: UInt64
}
