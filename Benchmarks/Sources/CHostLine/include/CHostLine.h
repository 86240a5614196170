#include <stddef.h>
#include <stdint.h>

// The bare lines that the host link and the simulated acquirer are compared with. A frame is two bytes of length and a
// message.

/// Returns every byte on two ports of the loopback interface: over TCP, and over TLS with a certificate and its key (PEM
/// files). Prints `listening at TCP TLS` with both ports, and goes on until the process ends. Returns only when it
/// cannot begin: 1.
int host_echo_run(const char *certificate, const char *key);

/// A client with one connection.
struct host_client;

/// Connects to a port of the loopback interface: over TLS when `authorities` names a PEM file, over TCP without it.
/// Returns NULL when that fails.
struct host_client *host_client_open(int port, const char *authorities);

/// Sends a frame, and waits at most 30 seconds for the next whole frame, which it puts into `answer`. Returns the
/// nanoseconds from the first byte to the last, or -1.
int64_t host_client_exchange(struct host_client *client, const uint8_t *request, size_t count, uint8_t *answer,
                             size_t room, size_t *answered);

void host_client_close(struct host_client *client);

/// Connections that keep several requests under way each.
struct host_load;

/// Opens connections to a port of the loopback interface, over TCP. Returns NULL when that fails.
struct host_load *host_load_open(int port, int connections);

/// Sends `count` frames of `size` bytes on each connection, at most `window` of them without an answer at a time, and
/// waits for all answers. The frames of connection `n` begin at `frames + n * count * size`. Returns the nanoseconds
/// from the first frame to the last answer; -1 when a connection ends, or is silent for 30 seconds.
int64_t host_load_run(struct host_load *load, const uint8_t *frames, size_t size, int count, int window);

/// Copies the last answer of a connection, without its length. Returns how many bytes it has.
size_t host_load_last(struct host_load *load, int connection, uint8_t *answer, size_t room);

void host_load_close(struct host_load *load);
