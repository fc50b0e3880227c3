import CArgon2

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory of one hash: mapped for it and given back right after it.
///
/// From `malloc` it would stay. The C library of Linux keeps a freed block of this size in the heap of the thread that had it, and the threads that hash
/// change: a server that hashes once in a while grew by 19 MiB for each thread that had ever done so.
enum HashingMemory {
  /// For `argon2_context.allocate_cbk`.
  static let allocate: allocate_fptr = { memory, size in
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, let mapped, mapped != MAP_FAILED else { return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue }
    #if os(Linux)
      // Ten large pages are there sooner than five thousand small ones. Where there are none, nothing is lost.
      _ = madvise(mapped, size, MADV_HUGEPAGE)
    #endif
    memory.pointee = mapped.assumingMemoryBound(to: UInt8.self)
    return ARGON2_OK.rawValue
  }

  /// For `argon2_context.free_cbk`. libargon2 has wiped it before.
  static let free: deallocate_fptr = { memory, size in
    if let memory { munmap(memory, size) }
  }
}
