/// A file itself, whatever its name is.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let file: UInt64
}
