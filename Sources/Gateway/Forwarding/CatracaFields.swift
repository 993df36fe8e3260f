internal import HTTP

extension FieldName {
  static let catracaRequestID: FieldName = "x-catraca-request-id"
  static let catracaCost: FieldName = "x-catraca-cost-usd"
  static let catracaRemainingTokens: FieldName = "x-catraca-remaining-tokens"
  static let catracaRemainingCost: FieldName = "x-catraca-remaining-cost"
  static let catracaReset: FieldName = "x-catraca-reset"
  static let catracaClamped: FieldName = "x-catraca-clamped"
  static let catracaClampedToolCalls: FieldName = "x-catraca-clamped-tool-calls"
  static let catracaDenied: FieldName = "x-catraca-denied"
  static let catracaProvider: FieldName = "x-catraca-provider"
  static let catracaUser: FieldName = "x-catraca-user"
  static let catracaConversation: FieldName = "x-catraca-conversation"
  static let catracaAgent: FieldName = "x-catraca-agent"
  static let catracaMetadata: FieldName = "x-catraca-metadata"
  static let shouldRetry: FieldName = "x-should-retry"
}
