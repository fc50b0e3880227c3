// Tells the thread sanitizer when a thread acquires or releases the lock of a Synchronization.Mutex.
//
// If no thread waits for the lock, instrumented code in the caller acquires and releases the lock. If a thread waits,
// two functions in libswiftSynchronization acquire and release it. That library is not instrumented, so the sanitizer
// does not see that two holders of the lock exclude each other, and reports a race on the data that the lock guards.
// This file replaces the two functions: it calls the originals and tells the sanitizer what they do. An access without
// the lock is still reported.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The parameter for `self` of a Swift method, which Swift passes in a register of its own. Here, `self` is the lock,
// and begins with the atomic word that shows whether the lock is held.
#define HANDLE __attribute__((swift_context)) void *handle

// The runtime of the sanitizer defines these functions. The symbols are weak, because this library is also loaded into
// the programs that start the tests (LD_PRELOAD in Scripts/races), which do not contain the runtime.
extern __attribute__((weak)) void __tsan_acquire(void *address);
extern __attribute__((weak)) void __tsan_release(void *address);

static __attribute__((swiftcall)) void (*lock)(uint32_t, HANDLE);
static __attribute__((swiftcall)) void (*unlock)(HANDLE);

__attribute__((constructor)) static void find(void) {
  lock = dlsym(RTLD_NEXT, LOCK);
  unlock = dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void lockSlow(uint32_t value, HANDLE) __asm__(LOCK);
__attribute__((swiftcall)) void lockSlow(uint32_t value, HANDLE) {
  lock(value, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlockSlow(HANDLE) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlockSlow(HANDLE) {
  if (__tsan_release) __tsan_release(handle);
  unlock(handle);
}
