// swift-format-ignore-file
// Exports this machine's C library under the name of Android's.
@_exported public import Glibc

// In Glibc, this constant is an enumeration value; on Android, it is an integer.
public let SOCK_STREAM: Int32 = 1
