internal import Pages

/// A table. On a narrow screen, the table scrolls and not the page.
struct TableView {
  /// The head of a column.
  struct Column {
    let name: String
    let isFigure: Bool

    static func text(_ name: String) -> Column { Column(name: name, isFigure: false) }
    static func figure(_ name: String) -> Column { Column(name: name, isFigure: true) }
  }

  let caption: String
  let columns: [Column]
  /// The rows, each a whole `<tr>`.
  let rows: [HTML]
  /// The text that replaces a table without rows.
  let empty: String

  init(_ caption: String, _ columns: [Column], _ rows: [HTML], empty: String) {
    self.caption = caption
    self.columns = columns
    self.rows = rows
    self.empty = empty
  }

  var html: HTML {
    if rows.isEmpty { return "<p>\(empty)</p>" }
    let heads = columns.map { column -> HTML in
      #"<th scope="col"\#(if: column.isFigure, #" class="figure""#)>\#(column.name)</th>"#
    }
    return #"""
      <div class="scroll" role="region" aria-label="\#(caption)" tabindex="0"><table>\#
      <thead><tr>\#(heads)</tr></thead><tbody>\#(rows)</tbody></table></div>
      """#
  }
}
