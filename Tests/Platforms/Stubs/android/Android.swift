// swift-format-ignore-file
// This machine's C library under the name that Android's has.
@_exported public import Glibc

public let SOCK_STREAM: Int32 = 1
