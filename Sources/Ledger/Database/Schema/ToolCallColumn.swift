extension Migration {
  /// Which kinds of calls a row's `calls` are of, so that each can be compared with what the
  /// provider reports of it. Rows of earlier releases, and of servers that know no such column,
  /// don't say it.
  static let toolCallColumn = Migration(
    number: 33, name: "kinds of tool calls", isAdditive: true, sqlite: column(text: "TEXT"),
    postgresql: column(text: #"TEXT COLLATE "C""#))

  private static func column(text: String) -> String {
    """
    -- such as {"web_search":2}; NULL: none, or their kinds aren't known
    ALTER TABLE usage_logs ADD COLUMN tool_calls \(text);
    """
  }
}
