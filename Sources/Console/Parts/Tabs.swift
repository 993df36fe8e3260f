internal import Pages

/// Links to views of the same page, one of them current.
struct Tabs {
  struct Tab {
    let name: String
    let address: PageAddress
    let isCurrent: Bool

    init(_ name: String, _ address: PageAddress, isCurrent: Bool) {
      self.name = name
      self.address = address
      self.isCurrent = isCurrent
    }
  }

  private let label: String
  private let tabs: [Tab]

  init(_ label: String, _ tabs: [Tab]) {
    self.label = label
    self.tabs = tabs
  }

  var html: HTML {
    let entries = tabs.map { tab -> HTML in
      #"""
      <li><a href="\#(tab.address)"\#(if: tab.isCurrent, #" aria-current="true""#)>\#
      \#(tab.name)</a></li>
      """#
    }
    return #"<nav aria-label="\#(label)"><ul class="tabs">\#(entries)</ul></nav>"#
  }
}
