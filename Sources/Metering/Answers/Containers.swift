import JSON
import Pricing

/// The prices of the containers in which a provider's tools run. A container is billed by its
/// memory. The tool's declaration states the memory; its calls don't.
struct Containers: Sendable, Hashable {
  /// The names of the prices, one for each tool; nil if the tool isn't declared.
  private(set) var interpreter: String?
  private(set) var shell: String?

  /// Notes a declared tool and returns the name of its containers' price; nil for a tool that runs
  /// in none.
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

  /// Returns the name of the price of a container in which a tool ran, by the name of the tool's
  /// calls; nil for a tool that runs in none.
  func price(ofTool name: String) -> String? {
    switch name {
    case OpenAI.codeInterpreter: interpreter ?? ContainerPrice.ofUnknownSize
    case OpenAI.shell: shell ?? ContainerPrice.ofUnknownSize
    default: nil
    }
  }

  /// Reads the tools that an answer repeats from its request.
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

  /// - Parameter type: The type of a container that is made for the request. Other containers were
  ///   made earlier, and the request doesn't show their size.
  private static func price(of place: JSONValue?, made type: StaticString) -> String {
    guard let place, !place.isNull else { return ContainerPrice.name(ofSize: usualSize) }
    guard place["type"]?.isString(type) ?? false else { return ContainerPrice.ofUnknownSize }
    guard let size = place["memory_limit"], !size.isNull else {
      return ContainerPrice.name(ofSize: usualSize)
    }
    return size.string.map { ContainerPrice.name(ofSize: $0) } ?? ContainerPrice.ofUnknownSize
  }

  private static let usualSize = "1g"

  /// If several tools of one type differ in price, the price is unknown, because calls don't tell
  /// the containers apart.
  private static func common(_ one: String?, _ other: String) -> String {
    one ?? other == other ? other : ContainerPrice.ofUnknownSize
  }
}

/// A container in which a tool of the provider ran.
public struct UsedContainer: Sendable, Hashable {
  public let id: String
  /// The tool that used the container first, by the name of its call.
  let tool: String
  /// The name of the session's price, as far as request and answer tell.
  public let price: String

  public var hasKnownMemory: Bool { price != ContainerPrice.ofUnknownSize }
}

extension UsageReport {
  /// Returns the report with other prices for sessions of containers.
  ///
  /// - Parameter price: Returns the name of a session's price; nil if the session costs nothing.
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
