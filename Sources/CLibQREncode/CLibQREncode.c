#include "CLibQREncode.h"

#if __has_include(<dlfcn.h>) && __has_include(<pthread.h>)

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static libqrencode_code *(*pointer_encode)(int, const unsigned char *, int, int);
static void (*pointer_free)(libqrencode_code *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = NULL;

static void load(void) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libqrencode.4.dylib", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    failure = "libqrencode is not installed (on Debian, the package 'libqrencode4')";
    return;
  }
  *(void **)&pointer_encode = dlsym(library, "QRcode_encodeData");
  *(void **)&pointer_free = dlsym(library, "QRcode_free");
  if (pointer_encode == NULL || pointer_free == NULL) failure = "the installed libqrencode lacks a function; install version 4";
}

const char *libqrencode_load(void) {
  pthread_once(&once, load);
  return failure;
}

libqrencode_code *libqrencode_encode(int size, const unsigned char *data, int version, int level) {
  return pointer_encode(size, data, version, level);
}

void libqrencode_free(libqrencode_code *code) {
  pointer_free(code);
}

#endif
