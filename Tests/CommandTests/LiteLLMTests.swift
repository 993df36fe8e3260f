import Money
import Pricing
import Testing

@testable import catraca

@Suite struct LiteLLMTests {
  @Test(
    "A number of JSON becomes a price exactly, however it is written",
    arguments: [
      ("1.5e-07", 6, "0.15"), ("0.00015", 6, "150"), ("1.592E-7", 6, "0.1592"), ("0", 6, "0"),
      ("0.0", 0, "0"), ("2e-8", 6, "0.02"), ("0.006", 0, "0.006"), ("12", 0, "12"),
      ("1e+1", 0, "10"), ("0.000000000001", 0, "0.000000000001"), ("3e-1", 3, "300"),
    ])
  func exact(json: String, places: Int, decimal: String) throws {
    let price = try #require(FixedDecimal(json: json, shiftedBy: places))
    #expect(price.decimalText == decimal)
  }

  @Test(
    "What has too many decimals is no exact price, and is rounded up",
    arguments: [
      ("0.000283333333333", 0, "0.000283333334"), ("1.0000000000000001e-07", 6, "0.100000000001"),
      ("1e-13", 0, "0.000000000001"),
    ])
  func roundedUp(json: String, places: Int, decimal: String) throws {
    #expect(FixedDecimal(json: json, shiftedBy: places) == nil)
    let price = try #require(FixedDecimal(roundingUp: json, shiftedBy: places))
    #expect(price.decimalText == decimal)
  }

  @Test(
    "What is no number of a price is none",
    arguments: [
      "-1", "", "x", "1e99", "1e", "1.2.3", "\"1\"", "null", "9e30", "1e-9223372036854775808",
    ])
  func noPrice(json: String) {
    #expect(FixedDecimal(json: json, shiftedBy: 0) == nil)
    #expect(FixedDecimal(roundingUp: json, shiftedBy: 0) == nil)
  }

  @Test(
    "A field's name says quantity, length step and tier",
    arguments: [
      ("input_cost_per_token", PricedQuantity.input, nil, nil),
      ("output_cost_per_token_above_272k_tokens_priority", .output, 272_000, "priority"),
      ("cache_creation_input_token_cost_above_12hr", .cacheWriteLong, nil, nil),
      (
        "cache_creation_input_token_cost_above_12hr_above_272k_tokens_flex", .cacheWriteLong,
        272_000, "flex"
      ),
      ("input_cost_per_token_batches", .input, nil, "batch"),
      ("cache_read_input_image_token_cost", .cachedInput, nil, nil),
    ] as [(String, PricedQuantity, Int64?, String?)])
  func fields(name: String, quantity: PricedQuantity, step: Int64?, tier: String?) throws {
    let field = try #require(LiteLLMField(name))
    #expect(field.quantity == quantity)
    #expect(field.aboveInputTokens == step)
    #expect(field.tier == tier)
  }

  @Test("A length step beyond 64 bits makes a field of no price")
  func absurdStep() {
    #expect(LiteLLMField("input_cost_per_token_above_9223372036854775807k_tokens") == nil)
    #expect(LiteLLMField("input_cost_per_token_above_99999999999999999999k_tokens") == nil)
  }

  private func prices(_ json: String, of provider: String = "openai") throws -> LiteLLMPrices {
    LiteLLMPrices(of: provider, in: try LiteLLMTable(Array(json.utf8), path: "table.json"))
  }

  @Test("A model comes with its tiers, steps, limits and searches, under its own name")
  func model() throws {
    let prices = try prices(
      """
      {"openai/m":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1.5e-07,
       "output_cost_per_token":6e-07,"input_cost_per_token_batches":7.5e-08,
       "input_cost_per_token_above_272k_tokens":3e-07,"max_output_tokens":16384,
       "max_input_tokens":128000,"supports_vision":true,
       "search_context_cost_per_query":{"low":0.01,"high":0.025}},
       "other":{"litellm_provider":"anthropic","mode":"chat","input_cost_per_token":1},
       "box":{"litellm_provider":"openai","mode":"chat","code_interpreter_cost_per_session":0.03}}
      """)
    let model = try #require(prices.models.first)
    #expect(prices.models.count == 1 && prices.omissions.isEmpty)
    #expect(model.name == "m" && model.operation == .chat)
    #expect(model.maxOutputTokens == 16_384 && model.contextTokens == 128_000)
    #expect(model.surcharges["web_search"]?.decimalText == "0.025")
    #expect(
      prices.containers.mapValues(\.decimalText)
        == ["1g": "0.03", "4g": "0.12", "16g": "0.48", "64g": "1.92"])
    let base = model.prices[0].base
    #expect(base.table[.input]?.decimalText == "0.15")
    #expect(base.aboveInputTokens[272_000]?[.input]?.decimalText == "0.3")
    #expect(model.prices[0].tiers["batch"]?.table[.input]?.decimalText == "0.075")
  }

  @Test(
    "What has no place in a pricing file is named",
    arguments: [
      (#""mode":"video_generation","output_cost_per_second":1"#, "m: nothing is metered in mode"),
      (#""mode":"chat""#, "m: it has no price"),
      (#""mode":"chat","input_cost_per_token":1e-6,"output_cost_per_pixel":1"#, "_per_pixel has"),
      (#""mode":"chat","input_cost_per_token":1e-6,"input_cost_per_second":1"#, "is an estimate"),
      (#""mode":"chat","input_cost_per_token":"1""#, "which is no price"),
      (#""mode":"chat","input_cost_per_token":1.1e-19"#, "more decimals than a price has"),
    ])
  func omissions(fields: String, reason: String) throws {
    let prices = try prices("{\"m\":{\"litellm_provider\":\"openai\",\(fields)}}")
    #expect(prices.omissions.contains { $0.contains(reason) }, "\(prices.omissions)")
  }

  @Test("Pictures are kinds of their model, unless its tokens are what is billed")
  func pictures() throws {
    let fields = #""litellm_provider":"openai","mode":"image_generation""#
    let prices = try prices(
      """
      {"hd/1024-x-1024/d":{\(fields),"input_cost_per_image":0.08},
       "1024-x-1024/d":{\(fields),"output_cost_per_image":0.04},
       "low/1024-x-1024/g":{\(fields),"input_cost_per_image":0.01},
       "g":{\(fields),"input_cost_per_token":5e-6}}
      """)
    let kinds = prices.models.first { $0.name == "d" }?.prices[0].base.table.images
    #expect(kinds?[ImageVariant(size: "1024x1024", quality: "hd")]?.decimalText == "0.08")
    #expect(kinds?[ImageVariant(size: "1024x1024", quality: "standard")]?.decimalText == "0.04")
    #expect(prices.omissions.count == 1 && prices.omissions[0].contains("the tokens of g"))
  }
}
