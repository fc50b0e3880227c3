#ifdef __linux__
#include <sys/timex.h>
#endif
