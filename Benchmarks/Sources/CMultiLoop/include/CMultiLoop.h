/// Starts a server on the loopback interface that answers every request with the same short JSON text and keeps its
/// connections. Returns its port, or 0. It goes on until the program ends.
int http_server_start(void);

/// Gets `url` `count` times with libcurl's multi interface as its examples use it, `width` requests at a time, each
/// handle used again. Returns how many had status 200.
int multi_loop_run(const char *url, int count, int width);
