#ifndef CATRACA_COPENSSL_SHIM_H
#define CATRACA_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

// Typed doors for what OpenSSL says in macros, which Swift doesn't import.

static inline int catraca_ssl_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest) &&
         SSL_CTX_set_max_proto_version(context, highest);
}

// No renegotiation, no compression (CRIME). An idle session gives its 34 KiB of record buffers
// back, and a write that has to be repeated may come from another address.
static inline void catraca_ssl_set_rules(SSL_CTX *context) {
  SSL_CTX_set_options(
      context,
      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(
      context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                   SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline void catraca_ssl_disable_session_cache(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline void catraca_ssl_disable_tickets(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

static inline int catraca_ssl_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name) == 1 && SSL_set1_host(session, name) == 1;
}

// An empty memory BIO means "nothing yet", never "the end".
static inline BIO *catraca_bio_new_memory(void) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio) BIO_set_mem_eof_return(bio, -1);
  return bio;
}

// The one application protocol that is spoken here, in ALPN's wire form. OpenSSL keeps a pointer
// into it, so it must live as long as the process does.
static const unsigned char catraca_alpn_http1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

static inline int catraca_alpn_select(
    SSL *session, const unsigned char **selected, unsigned char *selectedLength,
    const unsigned char *offered, unsigned int offeredLength, void *context) {
  (void)session, (void)context;
  int status = SSL_select_next_proto(
      (unsigned char **)selected, selectedLength, catraca_alpn_http1, sizeof catraca_alpn_http1,
      offered, offeredLength);
  return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A server refuses a client that offers only other protocols (RFC 7301, 3.2).
static inline void catraca_ssl_accept_http1(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, catraca_alpn_select, NULL);
}

#endif
