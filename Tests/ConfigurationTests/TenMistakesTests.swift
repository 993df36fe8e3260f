import Configuration
import Testing

@Suite struct TenMistakesTests {
  @Test("Ten mistakes in three files are told at once, each in its place, in order")
  func tenMistakes() {
    let main = """
      proxy: { listn: ["127.0.0.1:8080"] }
      providers:
        openai: { base_url: "api.openai.com", api_key_env: OPENAI_API_KEY }
      pricing: [pricing/openai.yaml, pricing/missing.yaml]
      limits: { idle: 75, header: 64MB }
      """
    let clients = """
      plans:
        trial: { monthly_tokens: many }
      default_plan: trail
      clients:
        acme:
          timezone: Brazil/Atlantis
          colour: blue
      """
    let pricing = """
      provider: openai
      as_of: 2026-11-01
      models:
        gpt-4o-mini: { per_million_tokens: { input: "-0.15" } }
      """
    #expect(
      mistakes(
        main, ["clients.yaml": clients, "pricing/openai.yaml": pricing],
        environment: ["OPENAI_API_KEY": "sk-x"])
        == [
          #"c/catraca.yaml:1:10: unknown key "listn"; did you mean "listen"?"#,
          #"c/catraca.yaml:3:23: base_url: "api.openai.com" is not valid; allowed: an http or "#
            + "https address without user and query, such as https://api.openai.com/v1",
          "c/catraca.yaml:4:32: c/pricing/missing.yaml: no such file",
          #"c/catraca.yaml:5:17: idle: "75" is not valid; allowed: a duration with its unit "#
            + "(ms, s, m, h), from 10ms to 1h",
          #"c/catraca.yaml:5:29: header: "64MB" is not valid; allowed: a size with its unit "#
            + "(B, KiB, MiB, GiB), from 1KiB to 1MiB",
          #"c/clients.yaml:2:28: monthly_tokens: "many" is not valid; allowed: a whole number "#
            + "from 0 to 9007199254740992",
          #"c/clients.yaml:3:15: default_plan: there is no plan "trail"; did you mean "trial"?"#,
          #"c/clients.yaml:6:15: timezone: "Brazil/Atlantis" is not valid; allowed: an IANA "#
            + "zone such as America/Sao_Paulo, or UTC",
          #"c/clients.yaml:7:5: unknown key "colour"; allowed: budgets, keys, log_prompts, "#
            + "markup, metadata, name, payment_customer_id, plan, provider_keys, status, "
            + "timezone",
          #"c/pricing/openai.yaml:4:47: input: "-0.15" is not valid; allowed: a decimal with "#
            + #"at most 12 places, such as "0.15""#,
        ])
  }
  @Test("Mistakes behind a wrong name are told with it, and no key that is allowed is told twice")
  func behindWrongNames() {
    let main = """
      providers:
        openai: { base_url: "https://h" }
        "open ai": { bas_url: "https://h" }
      zzz: 1
      """
    let clients = """
      clients:
        "a b":
          timezone: Brazil/Atlantis
      """
    let name =
      "allowed: 1 to 63 letters, digits, '.', '_' and '-', beginning with a letter or digit"
    #expect(
      mistakes(main, ["clients.yaml": clients], environment: [:])
        == [
          "c/catraca.yaml:3:3: \"open ai\" can't name a provider; \(name), but not v1, api, "
            + "widget, healthz",
          "c/catraca.yaml:3:14: base_url is missing; allowed: an http or https address without "
            + "user and query, such as https://api.openai.com/v1",
          #"c/catraca.yaml:3:16: unknown key "bas_url"; did you mean "base_url"?"#,
          #"c/catraca.yaml:4:1: unknown key "zzz"; allowed: admin, alerts, budgets, clients, "#
            + "currency, ledger, limits, log, metering, payments, pricing, providers, proxy, "
            + "widget",
          "c/clients.yaml:2:3: \"a b\" is not a name; \(name)",
          #"c/clients.yaml:3:15: timezone: "Brazil/Atlantis" is not valid; allowed: an IANA "#
            + "zone such as America/Sao_Paulo, or UTC",
        ])
  }
}
