// Refreshes over TLS 1.3 with a new connection and a full handshake for each refresh. Each thread has its own chain of
// tokens.
//
// wrk cannot measure handshakes, because wrk waits for handshakes in a busy loop. This program does no more per
// handshake than `openssl s_time`, with which its results are compared.
//
// Arguments: the port, the duration in seconds, the path, the form without the token, the file of the certificate, and
// a token for each thread. Prints a JSON object with the numbers of operations and errors, the duration in seconds, and
// the median and the 99th percentile of the times of a refresh in microseconds.

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The sizes of buffers in bytes, and the maximum number of refreshes of one thread.
enum { maximum_token = 512, maximum_response = 16384, maximum_operations = 1 << 20 };

static const char *path, *form;
static struct sockaddr_in address;
static SSL_CTX *context;
static double end;

typedef struct {
  pthread_t thread;
  char token[maximum_token];
  long operations, errors;
  double *times;
} Chain;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

// Performs the TLS handshake, sends the request, and reads the response until the server closes the connection. Returns
// the length of the response, or -1 if the exchange failed or the response is too long.
static int exchange(SSL *ssl, const char *request, int length, char *response) {
  if (SSL_connect(ssl) != 1 || SSL_write(ssl, request, length) != length) return -1;
  int received = 0, count;
  while (received < maximum_response && (count = SSL_read(ssl, response + received, maximum_response - received)) > 0) received += count;
  SSL_shutdown(ssl);
  return received < maximum_response ? received : -1;
}

// Refreshes once. Returns whether the server responded with a new token, which is then stored in the chain.
static int refresh(Chain *chain) {
  char body[4096], request[8192], response[maximum_response + 1];
  int body_length = snprintf(body, sizeof body, "%s&refresh_token=%s", form, chain->token);
  int length = snprintf(request, sizeof request,
                        "POST %s HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                        "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
                        path, ntohs(address.sin_port), body_length, body);
  if (body_length >= (int)sizeof body || length >= (int)sizeof request) return 0;

  int connection = socket(AF_INET, SOCK_STREAM, 0), on = 1, received = -1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) {
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, connection);
    SSL_set_tlsext_host_name(ssl, "localhost");
    SSL_set1_host(ssl, "localhost");
    received = exchange(ssl, request, length, response);
    SSL_free(ssl);
  }
  close(connection);
  if (received < 0) return 0;
  response[received] = 0;

  static const char member[] = "\"refresh_token\":\"";
  char *token = strstr(response, member);
  if (strncmp(response, "HTTP/1.1 200", 12) != 0 || !token) return 0;
  token += sizeof member - 1;
  size_t token_length = strcspn(token, "\"");
  if (token_length >= maximum_token) return 0;
  memcpy(chain->token, token, token_length);
  chain->token[token_length] = 0;
  return 1;
}

static void *run(void *argument) {
  Chain *chain = argument;
  for (double began = now(); began < end && chain->operations < maximum_operations;) {
    int succeeded = refresh(chain);
    double finished = now();
    if (succeeded) chain->times[chain->operations++] = (finished - began) * 1e6;
    else chain->errors++;
    began = finished;
  }
  return NULL;
}

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  // The number of arguments before the tokens, including the name of the program.
  enum { fixed = 6 };
  if (count <= fixed) return fprintf(stderr, "usage: refreshes PORT SECONDS PATH FORM CERTIFICATE TOKEN…\n"), 2;
  address.sin_family = AF_INET;
  address.sin_port = htons(atoi(arguments[1]));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  path = arguments[3];
  form = arguments[4];
  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  if (!SSL_CTX_load_verify_locations(context, arguments[5], NULL)) return fprintf(stderr, "the certificate is invalid\n"), 2;

  int threads = count - fixed;
  Chain *chains = calloc(threads, sizeof *chains);
  double began = now();
  end = began + atof(arguments[2]);
  for (int i = 0; i < threads; i++) {
    snprintf(chains[i].token, maximum_token, "%s", arguments[fixed + i]);
    chains[i].times = malloc(maximum_operations * sizeof(double));
    pthread_create(&chains[i].thread, NULL, run, &chains[i]);
  }
  long operations = 0, errors = 0;
  double *times = NULL;
  for (int i = 0; i < threads; i++) {
    pthread_join(chains[i].thread, NULL);
    times = realloc(times, (operations + chains[i].operations + 1) * sizeof(double));
    memcpy(times + operations, chains[i].times, chains[i].operations * sizeof(double));
    operations += chains[i].operations;
    errors += chains[i].errors;
  }
  double seconds = now() - began;
  qsort(times, operations, sizeof(double), compare);
  printf("{\"operations\": %ld, \"errors\": %ld, \"seconds\": %f, \"p50\": %.0f, \"p99\": %.0f}\n", operations, errors, seconds,
         operations ? times[operations / 2] : 0, operations ? times[operations * 99 / 100] : 0);
  return 0;
}
