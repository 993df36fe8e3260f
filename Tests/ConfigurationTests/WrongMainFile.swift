import Testing

/// A `catraca.yaml` with one mistake.
struct WrongMainFile: CustomTestStringConvertible {
  let text: String
  /// From the line number on.
  let mistake: String

  var testDescription: String { mistake }

  /// After the least main file, so in line 2.
  private static func added(_ line: String, _ mistake: String) -> WrongMainFile {
    WrongMainFile(text: leastMain + line, mistake: mistake)
  }

  private static func whole(_ text: String, _ mistake: String) -> WrongMainFile {
    WrongMainFile(text: text, mistake: mistake)
  }

  static let all: [WrongMainFile] = [
    whole(
      "{}",
      """
      1:1: providers is missing; allowed: a mapping with at least one provider, such as \
      openai: { base_url: https://api.openai.com/v1, api_key_env: OPENAI_API_KEY }
      """),
    whole(
      "providers: { openai: {} }",
      """
      1:22: base_url is missing; allowed: an http or https address without user and query, \
      such as https://api.openai.com/v1
      """),
    whole(
      "providers: { v1: { base_url: https://h } }",
      """
      1:14: "v1" can't name a provider; allowed: 1 to 63 letters, digits, '.', '_' and \
      '-', beginning with a letter or digit, but not v1, api, widget, healthz
      """),
    whole(
      "providers: { a: { base_url: https://h, api_key_env: KEY } }",
      """
      1:53: api_key_env: the environment variable KEY is not set; allowed: one that holds \
      the secret
      """),
    whole(
      "providers: { a: { base_url: https://h, api_key_file: f } }",
      """
      1:54: api_key_file: c/f: no such file
      """),
    whole(
      "providers: { a: { base_url: https://h, on_disconnect: cancel, drain_time: 1s } }",
      """
      1:75: drain_time has no meaning here; allowed: only with on_disconnect: drain
      """),
    added(
      "limits: { body_memory: 100MiB }",
      """
      2:24: body_memory: the largest body of a request does not fit; allowed: at least \
      twice limits.request_body
      """),
    added(
      "limits: { body_memory_per_key: 63MiB }",
      """
      2:32: body_memory_per_key: the largest body of a request does not fit; allowed: at \
      least limits.request_body
      """),
    added(
      "limits: { connections: 10, connections_per_address: 11 }",
      """
      2:53: connections_per_address: 11 is not valid; allowed: at most limits.connections, 10
      """),
    added(
      "limits: { connections_per_key: 10001 }",
      """
      2:32: connections_per_key: 10001 is not valid; allowed: at most limits.connections, 10000
      """),
    added(
      "limits: { unfinished_bodies_per_key: 10001 }",
      """
      2:38: unfinished_bodies_per_key: 10001 is not valid; allowed: at most limits.connections, \
      10000
      """),
    added(
      "limits: { body_memory_per_key: 1GiB }",
      """
      2:32: body_memory_per_key: 1GiB is not valid; allowed: at most limits.body_memory, 512MiB
      """),
    added(
      "proxy: { behind: [10.0.0.1/8] }",
      """
      2:19: behind: "10.0.0.1/8" is not valid; allowed: an IP address, or a range of them \
      such as 10.0.0.0/8 or 2001:db8::/32
      """),
    added(
      "admin: { proxy_protocol: true }",
      """
      2:26: proxy_protocol has no meaning here; allowed: only with behind
      """),
    added(
      "log: { level: loud }",
      """
      2:15: level: "loud" is not valid; allowed: one of debug, info, warn, error
      """),
    added(
      "log: loud",
      """
      2:6: log: a single value is not valid; allowed: a mapping
      """),
    added(
      "proxy: { listen: 127.0.0.1:80 }",
      """
      2:18: listen: a single value is not valid; allowed: a list, each item an IP address \
      and port, such as 127.0.0.1:8080 or [::1]:8080
      """),
    added(
      "currency: { billing: BRL }",
      """
      2:22: billing: BRL has no rate; allowed: USD, or a currency in currency.per_usd
      """),
    added(
      "currency: { per_usd: { BRL: 0 } }",
      """
      2:29: BRL: 0 is not valid; allowed: above zero
      """),
    added(
      "metering: { unknown_model: { as: gpt-9 } }",
      """
      2:28: unknown_model: no pricing file has the model "gpt-9"; allowed: one that has a \
      price
      """),
    added(
      "metering: { unknown_model: allow }",
      """
      2:28: unknown_model: "allow" is not valid; allowed: deny, free, or { as: MODEL }
      """),
    added(
      "clients: other.yaml",
      """
      2:10: c/other.yaml: no such file
      """),
    added(
      "ledger: { retention_months: 13 }",
      "2:29: retention_months: a ledger in a file isn't divided into months; allowed: with a "
        + "PostgreSQL database in ledger.url"),
    added(
      "ledger: { url: 'postgresql://db/x', retention_months: 1 }",
      "2:55: retention_months: \"1\" is not valid; allowed: a whole number from 2 to 1200"),
    added(
      "payments: { provider: paypal }",
      """
      2:23: provider: "paypal" is not valid; allowed: one of none, stripe
      """),
    added(
      "admin: { listen: [] }",
      "2:18: listen: a list of 0 is not valid; allowed: 1 to 16 items"),
    added(
      "admin: { listen: ['[::1]:0', '[::]:8081'] }",
      "2:18: [::]:8081 serves administrators without TLS; allowed: an address of this machine "
        + "alone such as 127.0.0.1, tls, or allow_plain_http: true"),
    added(
      "admin: { tokens: [{ name: a, role: admin }] }",
      "2:19: sha256 is missing; allowed: the SHA-256 of the whole key, 64 hexadecimal digits, such "
        + "as `catraca key create` prints"),
  ]
}
