internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Time

extension AlertText {
  /// What is told of an alert.
  ///
  /// - Parameter budget: the budget as it stands, a JSON object; nil where it is gone.
  init(_ recorded: RecordedAlert, of client: Client?, budget: [UInt8]?) {
    let alert = recorded.alert
    self.init(
      id: recorded.id, type: alert.type, createdAt: alert.createdAt,
      sentence: "\(AlertSentence(alert: alert, client: client))",
      clientID: alert.budgetID.client, percent: alert.percent, budget: budget)
  }

  /// What is told to see whether it arrives.
  init(testWithID id: String, at now: Timestamp) {
    self.init(
      id: id, type: "test", createdAt: now,
      sentence: "Catraca: a test, alerts arrive here", clientID: nil, percent: nil, budget: nil)
  }

  /// What is told of figures that a provider has otherwise than we.
  init(differenceWithID id: String, _ sentence: String, at now: Timestamp) {
    self.init(
      id: id, type: "reconciliation.difference", createdAt: now, sentence: sentence,
      clientID: nil, percent: nil, budget: nil)
  }

  private init(
    id: String, type: String, createdAt: Timestamp, sentence: String, clientID: String?,
    percent: Int?, budget: [UInt8]?
  ) {
    var writer = JSONWriter()
    writer.object { body in
      body.member("id", id)
      body.member("type", type)
      body.member("created_at", createdAt.rfc3339)
      body.member("text", sentence)
      body.member("client_id", clientID)
      body.key("threshold")
      if let percent { body.integer(Int64(percent)) } else { body.null() }
      body.key("budget")
      if let budget { body.raw(budget) } else { body.null() }
    }
    self.init(sentence: sentence, body: String(decoding: writer.bytes, as: UTF8.self))
  }
}
