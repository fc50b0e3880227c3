// Shows the lock of Synchronization.Mutex to the thread sanitizer.
//
// Where nobody waits, the lock is taken and given back by instructions in the instrumented caller. Where somebody waits, that happens in
// libswiftSynchronization, which is not instrumented, so the sanitizer does not relate two holders of one lock and reports a race on
// what the lock guards. This library, loaded first, stands before the two functions of the slow way and tells the sanitizer what they do.
// It hides nothing else: an access without the lock is reported as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// `self` of a Swift method; the atomic word of the lock is its first field.
#define HANDLE __attribute__((swift_context)) void *handle

// Weak, since the programs that start the tests are not instrumented.
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
