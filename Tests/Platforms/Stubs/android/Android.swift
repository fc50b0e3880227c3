// swift-format-ignore-file
// Exports this machine's C library under the name of Android's.
@_exported public import Glibc

public let SOCK_STREAM: Int32 = 1
