internal import Billing
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `catraca invoice CLIENT --period 2026-11`: what a client owes for a period, and why.
enum InvoiceReport {
  private enum Format: String, Sendable, CaseIterable {
    case table, json, csv, html
  }

  private static let period = Parameter(
    "period", ArgumentFormat<BillingMonth>.month, "the month that the period begins in",
    isRequired: true)
  private static let format = Parameter(
    CommonOptions.format.name, ArgumentFormat<Format>.choice("FORMAT"), "table, json, csv or html",
    default: "table")

  static let command = Command(
    "invoice", "what a client owes for a period, with the requests that it was charged for",
    arguments: [BillingReport.client],
    options: [period, CommonOptions.config, CommonOptions.ledger, format],
    examples: [
      Command.Example(
        line: "invoice acme --period 2026-11 --format html",
        meaning: "exit status 1 where the lines are not what the rows make")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let client = try ClientDirectory(invocation).client(try values.required(BillingReport.client))
    let month = try values.required(period)
    let reader = try invocation.reader()
    let found = try invocation.ledger { () throws(LedgerError) in
      try Invoice(of: client, for: month, reader)
    }
    guard let invoice = found else {
      throw .failed("client \(client.id) was not billed for \(month)")
    }
    let isHTML = values[format] == .html
    return CommandOutcome(
      isHTML ? .line(InvoicePage.html(of: invoice)) : .document(document(invoice)),
      notes: invoice.differences.map { "difference: \($0)" },
      exitCode: invoice.differences.isEmpty ? .well : .failed)
  }

  // MARK: As a document

  private static func document(_ invoice: Invoice) -> Document {
    let lines = lineTable(invoice)
    let usage = usageTable(invoice)
    let head = record(invoice)
    let totals = invoice.totals.map { "Total: \($0.shortText) \($0.currency.code)" }
    let verdict =
      invoice.differences.isEmpty
      ? "The lines are what \(Cell.grouped(invoice.tokens)) tokens of recorded requests make."
      : "The lines are NOT what the recorded requests make."
    return Document(
      sections: [
        .record(head), .table(lines), .lines(totals), .table(usage), .lines([verdict]),
      ], table: lines
    ) { writer in
      writer.object { object in
        object.members(of: head)
        object.member("lines") { $0.rows(lines) }
        object.member("totals") { list in
          list.array { list in
            for total in invoice.totals {
              list.object { object in
                object.member("amount", total.decimalText)
                object.member("currency", total.currency.code)
              }
            }
          }
        }
        object.member("usage") { $0.rows(usage) }
        object.member("audit") { audit in
          audit.object { audit in
            audit.member("ok", invoice.differences.isEmpty)
            audit.member("differences") { list in
              list.array { list in for text in invoice.differences { list.string(text) } }
            }
          }
        }
      }
    }
  }

  private static func record(_ invoice: Invoice) -> Record {
    var record = Record()
    record.add("client_id", "Client", .text(invoice.client.id))
    record.add("client_name", "Name", .text(invoice.client.name))
    record.add("plan", "Plan", .text(invoice.plan))
    record.add("period", "Period", .text(invoice.period))
    record.add("from", "From", .text("\(invoice.from)"))
    record.add("to", "Until before", .text("\(invoice.to)"))
    record.add("tokens_total", "Tokens", .integer(invoice.tokens))
    return record
  }

  private static func lineTable(_ invoice: Invoice) -> Table {
    var table = Table(
      [
        Table.Column("charge_id", "Charge"), Table.Column("block", nil),
        Table.Column("description", "For"), Table.Column("billing_tier", nil),
        Table.Column("amount", nil), Table.Column(nil, "Amount"),
        Table.Column("currency", "Currency"),
        Table.Column("status", "Status"), Table.Column("requests", "Requests"),
        Table.Column("first_request_id", nil), Table.Column("last_request_id", nil),
        Table.Column("begun_by_request_id", "Begun by"), Table.Column("charged_at", nil),
      ], emptyText: "Nothing was charged.")
    for line in invoice.lines {
      table.append([
        .text(line.charge.name), .integer(line.charge.block), .text(line.description),
        .text(line.charge.tier), .money(line.amount), .decimal(line.amount.shortText),
        .text(line.amount.currency.code), .text(line.charge.status.rawValue),
        .integer(line.use?.requests ?? 0), .optional(line.use?.first.description),
        .optional(line.use?.last.description), .optional(line.charge.requestID?.description),
        .instant(line.charge.createdAt),
      ])
    }
    return table
  }

  private static func usageTable(_ invoice: Invoice) -> Table {
    var table = Table(
      [
        Table.Column("model", "Model"), Table.Column("requests", "Requests"),
        Table.Column("tokens_input", "Input"), Table.Column("tokens_output", "Output"),
        Table.Column("tokens_total", "Tokens"), Table.Column("cost_usd", "Cost USD"),
      ], emptyText: "Nothing was used.")
    for total in invoice.usage {
      table.append([
        .optional(total.key), .integer(total.requests), .integer(total.inputTokens),
        .integer(total.outputTokens), .integer(total.totalTokens),
        .amount(nanoUnits: total.costNanoUSD),
      ])
    }
    return table
  }
}
