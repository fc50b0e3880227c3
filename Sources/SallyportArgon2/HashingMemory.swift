import CArgon2

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory for one hash, mapped when it is needed and unmapped afterward.
///
/// On Linux, the C library keeps a freed block of this size in the heap of the thread that used it. With `malloc`, a
/// server would therefore keep the memory of a hash (19 MiB by default) for each thread that has ever hashed a
/// password.
enum HashingMemory {
  /// The `argon2_context.allocate_cbk` callback.
  static let allocate: allocate_fptr = { memory, size in
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, let mapped, mapped != MAP_FAILED else { return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue }
    #if os(Linux)
      // With large pages, 19 MiB take ten pages of 2 MiB instead of 4,864 pages of 4 KiB, and are mapped faster. If the
      // call fails, small pages are used.
      _ = madvise(mapped, size, MADV_HUGEPAGE)
    #endif
    memory.pointee = mapped.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
  }

  /// The `argon2_context.free_cbk` callback. libargon2 has already wiped the memory.
  static let free: deallocate_fptr = { memory, size in
    if let memory { munmap(memory, size) }
  }
}
