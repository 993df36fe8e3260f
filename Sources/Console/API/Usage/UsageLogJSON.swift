internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A row of `usage_logs` as the API shows it: its columns, with money as decimals.
enum UsageLogJSON {
  /// A column: its name, the schema of its values, and its value in a row.
  struct Column: Sendable {
    let name: String
    let schema: JSONSchema
    let value: @Sendable (UsageRow) -> RowField

    init(
      _ name: String, _ schema: JSONSchema, _ value: @escaping @Sendable (UsageRow) -> RowField
    ) {
      self.name = name
      self.schema = schema
      self.value = value
    }
  }

  /// The columns in their order, without the row's number.
  ///
  /// - Parameter showsProviderCosts: Whether the reader may see the provider's cost.
  static func columns(showsProviderCosts: Bool) -> [Column] {
    showsProviderCosts ? allColumns : publicColumns
  }

  /// The columns that viewers may see too.
  private static let publicColumns = names + quantities + costs + times
  private static let allColumns = names + quantities + costs + [providerCost] + times
  private static let providerCost = Column("provider_cost_usd", .money) {
    dollars($0.providerCostNanoUSD)
  }

  static let fields =
    Fields(publicColumns.map { (name: $0.name, schema: $0.schema) })
    + Fields([(name: providerCost.name, schema: providerCost.schema)]).optional
  static let explanation: Fields = [
    "price_file": .anyText.orNull,
    "explain": .list(
      of: .object([
        "quantity": .anyText, "amount": .count, "unit_price_usd": .anyText, "cost_usd": .money,
      ])),
  ]

  private static var names: [Column] {
    [
      Column("request_id", .anyText) { .text("\($0.requestID)") },
      Column("client_id", .anyText) { .text($0.clientID) },
      Column("key_name", .anyText) { .text($0.keyName) },
      Column("user_id", .anyText.orNull) { .text($0.userID) },
      Column("conversation_id", .anyText.orNull) { .text($0.conversationID) },
      Column("agent_id", .anyText.orNull) { .text($0.agentID) },
      Column("source", .anyText) { .text($0.provider) },
      Column("model", .anyText) { .text($0.model) },
      Column("response_model", .anyText.orNull) { .text($0.responseModel) },
      Column("operation", .choice(of: Operation.self)) { .text($0.operation.rawValue) },
      Column("endpoint", .anyText) { .text($0.endpoint) },
      Column("stream", .boolean) { .boolean($0.isStream) },
      Column("status", .count) { .integer(Int64($0.status)) },
      Column("outcome", .choice(of: Outcome.self)) { .text($0.outcome.rawValue) },
      Column("usage_source", .choice(of: UsageSource.self)) { .text($0.usageSource.rawValue) },
    ]
  }

  private static var quantities: [Column] {
    [
      quantity("prompt_tokens") { $0.inputTokens },
      quantity("cached_tokens") { $0.cachedInputTokens },
      quantity("cache_write_tokens") { $0.cacheWriteTokens + $0.cacheWriteLongTokens },
      quantity("audio_input_tokens") { $0.totalAudioInputTokens },
      quantity("cached_audio_tokens") { $0.cachedAudioTokens },
      quantity("image_input_tokens") { $0.imageInputTokens },
      quantity("completion_tokens") { $0.outputTokens },
      quantity("reasoning_tokens") { $0.reasoningTokens },
      quantity("audio_output_tokens") { $0.audioOutputTokens },
      quantity("image_output_tokens") { $0.imageOutputTokens },
      quantity("total_tokens") { $0.totalTokens },
      quantity("audio_ms") { $0.audioMilliseconds },
      quantity("characters") { $0.characters },
      quantity("images") { $0.images },
      quantity("calls") { $0.calls },
      Column("tool_calls", .map(of: .count).orNull) { .json($0.toolCalls) },
    ]
  }

  private static func quantity(
    _ name: String, _ amount: @escaping @Sendable (Usage) -> Int64
  ) -> Column {
    Column(name, .count) { .integer(amount($0.usage)) }
  }

  private static var costs: [Column] {
    [
      Column("cost_usd", .money) { dollars($0.costNanoUSD) },
      Column("cost", .money) { .text($0.cost.decimalText) },
      Column("currency", .currency) { .text($0.cost.currency.code) },
      Column("price_version", .anyText.orNull) { .text($0.priceVersion) },
      Column("held_tokens", .count) { .integer($0.heldTokens) },
      Column("held_usd", .money) { dollars($0.heldNanoUSD) },
      Column("overrun_tokens", .count) { .integer($0.overrunTokens) },
      Column("overrun_usd", .money) { dollars($0.overrunNanoUSD) },
    ]
  }

  private static var times: [Column] {
    [
      Column("latency_ms", .count.orNull) { .integer($0.latencyMilliseconds) },
      Column("ttft_ms", .count.orNull) { .integer($0.timeToFirstTokenMilliseconds) },
      Column("overhead_us", .count.orNull) { .integer($0.overheadMicroseconds) },
      Column("metadata", .freeObject.orNull) { .json($0.metadata) },
      Column("created_at", .instant) { .text($0.createdAt.rfc3339) },
    ]
  }

  private static func dollars(_ nanoUnits: Int64) -> RowField {
    .text(Money(nanoUnits: nanoUnits, currency: .usd).decimalText)
  }

  /// Writes an entry of the list: the row with its number.
  static func write(
    _ entry: LogEntry<UsageRow>, _ columns: [Column], to writer: inout JSONWriter
  ) {
    writer.object { writeMembers(of: entry, columns, to: &$0) }
  }

  /// Writes the members without the braces, for objects that have other members too.
  static func writeMembers(
    of entry: LogEntry<UsageRow>, _ columns: [Column], to object: inout JSONWriter
  ) {
    object.member("id", entry.id)
    for column in columns { object.member(column.name, column.value(entry.content)) }
  }

  /// Writes how the cost was calculated: quantities × prices, and the source of the prices.
  static func writeExplanation(by bill: Bill?, to object: inout JSONWriter) {
    object.member("price_file", bill?.items.first?.tariff.origin.file)
    object.member("explain") { list in
      list.array { list in
        for line in bill?.lines ?? [] {
          list.object { object in
            object.member("quantity", line.quantity.name)
            object.member("amount", line.amount)
            object.member("unit_price_usd", line.unitPrice.decimalText)
            object.member("cost_usd", line.cost.decimalText)
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ key: String, _ field: RowField) {
    self.key(key)
    switch field {
    case .text(let text?): string(text)
    case .integer(let number?): integer(number)
    case .boolean(let value): boolean(value)
    case .json(let json?): raw(json.utf8)
    case .text(nil), .integer(nil), .json(nil): null()
    }
  }
}
