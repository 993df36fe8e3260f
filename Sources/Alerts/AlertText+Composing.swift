internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Time

extension AlertText {
  /// Creates the text of an alert.
  ///
  /// - Parameter budget: The budget's current state, a JSON object; nil if it is gone.
  init(_ recorded: RecordedAlert, of client: Client?, budget: [UInt8]?) {
    let alert = recorded.alert
    self.init(
      id: recorded.id, type: alert.type, createdAt: alert.createdAt,
      sentence: "\(AlertSentence(alert: alert, client: client))",
      clientID: alert.budgetID.client, percent: alert.percent, budget: budget)
  }

  /// Creates the text of a message for many alerts about a budget's subjects.
  ///
  /// - Parameter budget: The budget's current state for the subject of the lead, a JSON object; nil
  ///   if it is gone.
  init(_ alerts: GatheredAlerts, of client: Client?, budget: [UInt8]?) {
    let lead = alerts.lead.alert
    self.init(
      id: alerts.lead.id, type: lead.type, createdAt: lead.createdAt,
      sentence: "\(GatheredSentence(alerts: alerts, client: client))",
      clientID: lead.budgetID.client, percent: lead.percent, budget: budget, gathered: alerts)
  }

  /// Creates the text of a test message.
  init(testWithID id: String, at now: Timestamp) {
    self.init(
      id: id, type: "test", createdAt: now,
      sentence: "Catraca: a test, alerts arrive here", clientID: nil, percent: nil, budget: nil)
  }

  /// Creates the text about a difference between a provider's figures and Catraca's.
  init(differenceWithID id: String, _ sentence: String, at now: Timestamp) {
    self.init(
      id: id, type: "reconciliation.difference", createdAt: now, sentence: sentence,
      clientID: nil, percent: nil, budget: nil)
  }

  private init(
    id: String, type: String, createdAt: Timestamp, sentence: String, clientID: String?,
    percent: Int?, budget: [UInt8]?, gathered: GatheredAlerts? = nil
  ) {
    var writer = JSONWriter()
    writer.object { body in
      body.member("id", id)
      body.member("type", type)
      body.member("created_at", createdAt.rfc3339)
      body.member("text", sentence)
      body.member("client_id", clientID)
      AlertText.write(percent, to: &body)
      body.key("budget")
      if let budget { body.raw(budget) } else { body.null() }
      if let gathered { body.member("gathered") { AlertText.write(gathered, to: &$0) } }
    }
    self.init(sentence: sentence, body: String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func write(_ percent: Int?, to alert: inout JSONWriter) {
    alert.key("threshold")
    if let percent { alert.integer(Int64(percent)) } else { alert.null() }
  }

  private static func write(_ gathered: GatheredAlerts, to body: inout JSONWriter) {
    body.object { body in
      body.member("count", gathered.count)
      body.member("alerts") { list in
        list.array { list in
          for recorded in gathered.named {
            list.object { alert in
              alert.member("id", recorded.id)
              alert.member("type", recorded.alert.type)
              write(recorded.alert.percent, to: &alert)
              alert.member("subject", recorded.alert.subject)
            }
          }
        }
      }
      body.member("more", gathered.count - Int64(gathered.named.count))
    }
  }
}
