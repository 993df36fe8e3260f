internal import Billing
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// An invoice as one page of HTML, to print or to send.
enum InvoicePage {
  static func html(of invoice: Invoice) -> String {
    let title = "Invoice \(invoice.client.name) \(invoice.period)"
    let lines = invoice.lines.map { line in
      row([
        line.charge.name, line.description, "\(line.use?.requests ?? 0)",
        line.charge.requestID?.description ?? "", line.charge.status.rawValue,
        "\(line.amount.shortText) \(line.amount.currency.code)",
      ])
    }
    let totals = invoice.totals.map { total in
      row(["", "Total", "", "", "", "\(total.shortText) \(total.currency.code)"])
    }
    let verdict =
      invoice.differences.isEmpty
      ? ["The lines are what the recorded requests make."] : invoice.differences
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title>
      <style>body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto}
      table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;
      border-bottom:1px solid #ccc}td:last-child,th:last-child{text-align:right}</style></head>
      <body><h1>\(escaped(title))</h1>
      <p>Plan \(escaped(invoice.plan)), from \(invoice.from) until before \(invoice.to):
      \(Cell.grouped(invoice.tokens)) tokens.</p>
      <table><tr><th>Charge</th><th>For</th><th>Requests</th><th>Begun by</th><th>Status</th>
      <th>Amount</th></tr>
      \((lines + totals).joined(separator: "\n"))
      </table>
      <p>\(verdict.map(escaped).joined(separator: "<br>"))</p></body></html>
      """
  }

  private static func row(_ cells: [String]) -> String {
    "<tr>\(cells.map { "<td>\(escaped($0))</td>" }.joined())</tr>"
  }

  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: String(character)
      }
    }.joined()
  }
}
