internal import Money
internal import Pricing

/// A cost, quantity by quantity: amount × price.
enum CostTable {
  /// - Parameter costTitle: The title of the last column.
  static func table(of lines: [CostLine], costTitle: String = "Cost USD") -> Table {
    var table = Table(
      [
        Table.Column("quantity", "Quantity"), Table.Column("amount", "Amount"),
        Table.Column(nil, "Price USD"), Table.Column(nil, "for"),
        Table.Column("unit_price_usd", nil), Table.Column("cost_usd", costTitle),
      ], emptyText: "Nothing is charged for.")
    for line in lines {
      let name = line.quantity.name
      table.append([
        .text(line.isUnpriced ? "\(name) (no price of its own)" : name), .integer(line.amount),
        .decimal(line.priceText), .text(basisName(of: line.quantity)),
        .decimal(line.unitPrice.decimalText), .decimal(line.cost.decimalText),
      ])
    }
    return table
  }

  private static func basisName(of quantity: PricedQuantity) -> String {
    switch quantity.basis {
    case .million: "a million"
    case .minute: "a minute"
    case .second: "a second"
    case .one: "one"
    }
  }
}
