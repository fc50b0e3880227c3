// The functions of libqrencode that Sallyport uses, loaded from the shared library at run time.
//
// A program that contains this module can start on a machine without libqrencode, and is built without its headers. The
// declarations follow qrencode.h, and are valid for all versions of libqrencode.so.4.

#ifndef CLIBQRENCODE_H
#define CLIBQRENCODE_H

// A QR code: QRcode.
typedef struct {
  int version;
  // The number of modules in a row and in a column.
  int width;
  // width * width bytes. The lowest bit of each byte is 1 for a dark module.
  unsigned char *data;
} libqrencode_code;

// The second lowest of four levels of error correction: QR_ECLEVEL_M.
#define LIBQRENCODE_LEVEL_M 1

// Loads the library on the first call. Call this before any other function.
// Returns null, or the reason why the library cannot be used.
const char *libqrencode_load(void);

// QRcode_encodeData. Returns null if the data does not fit or memory is short.
libqrencode_code *libqrencode_encode(int size, const unsigned char *data, int version, int level);
// QRcode_free
void libqrencode_free(libqrencode_code *code);

#endif
