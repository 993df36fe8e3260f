#ifndef CATRACA_CCURL_SHIM_H
#define CATRACA_CCURL_SHIM_H

#include <curl/curl.h>

// libcurl sets options and answers questions through variadic functions, which Swift can't call.
// Each door below fixes the type of one kind of argument, so that a value of the wrong kind doesn't
// compile.

static inline CURLcode catraca_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode catraca_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl keeps a copy of the string.
static inline CURLcode catraca_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

// The pointer that callbacks are handed.
static inline CURLcode catraca_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// A URL that was read already, which must live as long as it is set.
static inline CURLcode catraca_curl_set_url(CURL *easy, CURLU *url) {
  return curl_easy_setopt(easy, CURLOPT_CURLU, url);
}

// Bytes to send, of which libcurl keeps a copy as long as CURLOPT_POSTFIELDSIZE_LARGE says.
static inline CURLcode catraca_curl_set_copied_body(CURL *easy, const void *bytes) {
  return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

// libcurl keeps no copy: the list must live as long as the option is set.
static inline CURLcode catraca_curl_set_headers(CURL *easy, struct curl_slist *headers) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

// Likewise.
static inline CURLcode catraca_curl_set_recipients(CURL *easy, struct curl_slist *addresses) {
  return curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, addresses);
}

// Serves CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode catraca_curl_set_write_callback(CURL *easy, CURLoption option,
                                                       curl_write_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode catraca_curl_set_read_callback(CURL *easy, curl_read_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
}

static inline CURLcode catraca_curl_set_seek_callback(CURL *easy, curl_seek_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode catraca_curl_set_prereq_callback(CURL *easy, curl_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode catraca_curl_set_open_callback(
    CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode catraca_curl_set_close_callback(
    CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

// Zero when libcurl doesn't know.
static inline long catraca_curl_get_long(CURL *easy, CURLINFO information) {
  long value = 0;
  return curl_easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t catraca_curl_get_size(CURL *easy, CURLINFO information) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

// Null when libcurl doesn't know.
static inline void *catraca_curl_get_private(CURL *easy) {
  char *value = 0;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : 0;
}

// Null when libcurl doesn't know; else libcurl's own text, good as long as the handle.
static inline const char *catraca_curl_get_string(CURL *easy, CURLINFO information) {
  char *value = 0;
  return curl_easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

// Shares the state of `share` with all its handles; it must outlive them.
static inline CURLcode catraca_curl_set_share(CURL *easy, CURLSH *share) {
  return curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

static inline CURLSHcode catraca_curl_share(CURLSH *share, curl_lock_data what) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, what);
}

static inline CURLMcode catraca_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode catraca_curl_multi_set_pointer(
    CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode catraca_curl_multi_set_socket_callback(CURLM *multi,
                                                               curl_socket_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode catraca_curl_multi_set_timer_callback(CURLM *multi,
                                                              curl_multi_timer_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

// Macros with a cast in them, which Swift doesn't import.
static inline size_t catraca_curl_write_pause(void) { return CURL_WRITEFUNC_PAUSE; }
static inline size_t catraca_curl_read_pause(void) { return CURL_READFUNC_PAUSE; }
static inline size_t catraca_curl_read_abort(void) { return CURL_READFUNC_ABORT; }

#endif
