import JSON
import Pricing

/// By which prices the containers are billed that tools of the provider run in: by their memory,
/// which a tool's declaration says, and no call of it.
struct Containers: Sendable, Hashable {
  /// The names of the prices, by the tools; nil where a tool isn't declared.
  private(set) var interpreter: String?
  private(set) var shell: String?

  /// Takes note of a declared tool, and says by which price its containers are billed; nil for one
  /// that runs in none.
  mutating func note(_ type: String, _ tool: JSONValue) -> String? {
    switch type {
    case OpenAI.codeInterpreter:
      let price = Containers.price(of: tool["container"], made: "auto")
      interpreter = Containers.common(interpreter, price)
      return price
    case OpenAI.shell:
      let price = Containers.price(of: tool["environment"], made: "container_auto")
      shell = Containers.common(shell, price)
      return price
    default: return nil
    }
  }

  /// The name of the price of a container that a tool ran in, by the name of the tool's calls; nil
  /// for a tool that runs in none.
  func price(ofTool name: String) -> String? {
    switch name {
    case OpenAI.codeInterpreter: interpreter ?? ContainerPrice.ofUnknownSize
    case OpenAI.shell: shell ?? ContainerPrice.ofUnknownSize
    default: nil
    }
  }

  /// The tools as an answer repeats them.
  init(ofTools tools: JSONValue) {
    note(allOf: tools)
  }

  private mutating func note(allOf tools: JSONValue) {
    for tool in tools.elements {
      if let type = tool["type"]?.string { _ = note(type, tool) }
      if let others = tool["tools"] { note(allOf: others) }
    }
  }

  init() {}

  /// - Parameter type: that of a container which is made for the request. Others were made before,
  ///   of a size that the request doesn't show.
  private static func price(of place: JSONValue?, made type: StaticString) -> String {
    guard let place, !place.isNull else { return ContainerPrice.name(ofSize: usualSize) }
    guard place["type"]?.isString(type) ?? false else { return ContainerPrice.ofUnknownSize }
    guard let size = place["memory_limit"], !size.isNull else {
      return ContainerPrice.name(ofSize: usualSize)
    }
    return size.string.map { ContainerPrice.name(ofSize: $0) } ?? ContainerPrice.ofUnknownSize
  }

  private static let usualSize = "1g"

  /// Calls don't tell the containers of several tools of one type apart.
  private static func common(_ one: String?, _ other: String) -> String {
    one ?? other == other ? other : ContainerPrice.ofUnknownSize
  }
}

/// A container that a tool of the provider ran in.
public struct UsedContainer: Sendable, Hashable {
  public let id: String
  /// The tool that ran in it first, as its call is named.
  let tool: String
  /// The name of the price of its session, as far as request and answer tell.
  public let price: String

  public var hasKnownMemory: Bool { price != ContainerPrice.ofUnknownSize }
}

extension UsageReport {
  /// The report with other prices for sessions of containers.
  ///
  /// - Parameter price: the name of a session's price; nil for one that costs nothing.
  public func charging(_ price: (UsedContainer) -> String?) -> UsageReport {
    var report = self
    for container in containers {
      let charged = price(container)
      if charged == container.price { continue }
      report.extraCalls.removeSession(of: container)
      if let charged { report.extraCalls.addSession(of: container.tool, at: charged) }
    }
    return report
  }
}

extension [ExtraCall] {
  fileprivate mutating func removeSession(of container: UsedContainer) {
    guard let index = index(of: container.tool, at: container.price) else { return }
    self[index].count -= 1
    if self[index].count == 0 { remove(at: index) }
  }

  fileprivate mutating func addSession(of tool: String, at price: String) {
    if let index = index(of: tool, at: price) {
      self[index].count += 1
    } else {
      append(ExtraCall(name: tool, count: 1, surcharge: price))
    }
  }

  private func index(of tool: String, at price: String) -> Int? {
    firstIndex { $0.name == tool && $0.surcharge == price }
  }
}
