internal import Pages

/// A list of names and values. Entries without a value are left out.
struct FactList {
  private let reader: Reader
  private var entries: [HTML] = []

  init(_ reader: Reader) {
    self.reader = reader
  }

  mutating func add(_ name: Phrase, _ value: String?) {
    add(name, html: value.map { "\($0)" })
  }

  mutating func add(_ name: Phrase, html value: HTML?) {
    guard let value else { return }
    entries.append("<dt>\(reader(name))</dt><dd>\(value)</dd>")
  }

  var html: HTML { #"<dl class="facts">\#(entries)</dl>"# }
}
