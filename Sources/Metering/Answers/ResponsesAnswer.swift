import JSON
import Objects
import Pricing

/// Reads a response of the Responses API, or a stream of its events.
///
/// The `type` of an event says its kind. The first events contain the response without usage. The
/// event that ends the stream contains it complete. There is no `[DONE]`.
struct ResponsesAnswer: AnswerReader {
  var members = AnswerMembers()
  private var toolCalls = ResponsesToolCalls()
  /// The usage of the image tool, in tokens of its own model. It isn't part of `usage`.
  private var drawing: ReportedUsage?
  /// The usage of text models that drew for the image tool; each is billed separately.
  private var vectors: [ModelUsage] = []
  /// Whether the usage of a drawing can't be read, so that the whole cost is unknown.
  private var hasUnreadableDrawing = false
  /// The work of a background response; nil for any other response.
  private var work: ProviderWork?
  private var shown = ShownObjects()
  private let isBackground: Bool
  private let keepsObjects: Bool
  private let model: String
  private let imageModel: String
  /// The request's containers. If only the background work is known, the containers come from the
  /// answer, which repeats its tools.
  private var containers: Containers

  private(set) var repeatableText: Int?

  init(for facts: RequestFacts) {
    model = facts.model
    isBackground = facts.isBackground
    keepsObjects = facts.keepsObjects || facts.isBackground
    imageModel = facts.imageToolModel ?? OpenAI.imageModel
    containers = facts.containers
  }

  mutating func read(answer root: JSONValue) {
    let isCompaction = root["object"]?.isString("response.compaction") ?? false
    read(
      response: root,
      making: isCompaction ? ObjectEndpoints.madeWithCompaction : ObjectEndpoints.madeWithResponse)
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    repeatableText = nil
    guard let type = root["type"]?.string else {
      // This isn't an event of this API, but may be an error in the form of other APIs.
      if let error = root["error"] { members.noteError(error) } else { noteUnreadable() }
      return .ordinary
    }
    switch type {
    case "response.completed", "response.incomplete":
      readEnd(root)
      return .last
    case "response.failed":
      readEnd(root)
      members.noteError()
      return .last
    case "error":
      members.noteError()
      return .last
    case "response.created", "response.in_progress", "response.queued":
      if let response = root["response"] { read(response: response) }
    case "response.output_item.added":
      note(objectsOf: root["item"], at: ObjectEndpoints.madeWithItem)
    case "response.output_item.done":
      guard let item = root["item"] else { break }
      note(objectsOf: item, at: ObjectEndpoints.madeWithItem)
      toolCalls.count(item)
      addVectors(of: item)
    case "response.output_text.annotation.added":
      note(objectsOf: root["annotation"], at: ObjectEndpoints.madeWithCitation)
    default:
      if type.hasSuffix(".delta"), !type.hasFragment("audio.delta") {
        let textBytes = root["delta"]?.utf8Count ?? 0
        members.add(textBytes: textBytes)
        repeatableText = textBytes
      }
    }
    return .ordinary
  }

  mutating func repeatLastEvent(textBytes: Int) {
    members.add(textBytes: textBytes)
  }

  mutating func takeMadeObjects() -> [MadeObject] { shown.take() }

  var isError: Bool { members.isError }

  var report: UsageReport {
    var report = members.report()
    report.extraCalls = toolCalls.calls(in: containers)
    report.containers = toolCalls.containers(in: containers)
    report.work = work
    report.madeObjects = shown.objects
    if hasUnreadableDrawing {
      report.usage = nil
      report.isUnreadable = true
    }
    guard let usage = report.usage, drawing != nil || !vectors.isEmpty else { return report }
    report.breakdown = [ModelUsage(model: report.responseModel ?? model, usage: usage)]
    if let drawing {
      report.breakdown.append(ModelUsage(model: imageModel, usage: drawing.usage))
    }
    report.breakdown += vectors
    report.usage = Usage.sum(of: report.breakdown.map(\.usage)) ?? usage
    report.extraCalls.removeAll { $0.name == OpenAI.imageGeneration }
    return report
  }

  private mutating func readEnd(_ root: JSONValue) {
    guard let response = root["response"], response.kind == .object else {
      return noteUnreadable()
    }
    read(response: response)
  }

  private mutating func read(
    response: JSONValue,
    making places: [(place: String, kind: ObjectKind)] = ObjectEndpoints.madeWithResponse
  ) {
    if isBackground { work = ProviderWork(response) ?? work }
    note(objectsOf: response, at: places)
    for member in response.members {
      if members.read(member) { continue }
      if member.hasKey("output") {
        read(output: member.value)
      } else if member.hasKey("tools") {
        if containers == Containers() { containers = Containers(ofTools: member.value) }
      } else if member.hasKey("tool_usage") {
        toolCalls.read(toolUsage: member.value)
        let reading = ReportedUsage.read(ofDrawing: member.value["image_gen"])
        if reading.isUnreadable { hasUnreadableDrawing = true }
        if let read = reading.usage { drawing = members.charged(drawing, read) }
      }
    }
  }

  /// Notes the objects of a response or an item. A container exists even if the response isn't
  /// kept.
  private mutating func note(
    objectsOf value: JSONValue?, at places: [(place: String, kind: ObjectKind)]
  ) {
    guard let value else { return }
    shown.note(value, at: keepsObjects ? places : places.filter { $0.kind == .container })
  }

  /// Adds the usage of a text model for a drawing, if the item reports it. An answer has few such
  /// drawings, mostly of one model.
  private mutating func addVectors(of item: JSONValue) {
    guard item["type"]?.isString("image_generation_call") == true, let value = item["svg_usage"]
    else { return }
    let reading = ReportedUsage.read(value)
    if reading.isUnreadable { hasUnreadableDrawing = true }
    guard let model = value["model"]?.string, let reported = reading.usage else { return }
    guard let index = vectors.firstIndex(where: { $0.model == model }) else {
      vectors.append(ModelUsage(model: model, usage: reported.usage))
      return
    }
    let sum = Usage.sum(of: [vectors[index].usage, reported.usage])
    vectors[index] = ModelUsage(model: model, usage: sum ?? reported.usage)
  }

  /// Reads the whole output, which replaces the counts of its pieces.
  private mutating func read(output: JSONValue) {
    var textBytes = 0
    toolCalls.startOver()
    vectors = []
    for item in output.elements {
      toolCalls.count(item)
      addVectors(of: item)
      if let parts = item["content"] ?? item["summary"] {
        for part in parts.elements {
          textBytes += (part["text"] ?? part["refusal"])?.utf8Count ?? 0
        }
      }
      textBytes += item["name"]?.utf8Count ?? 0
      textBytes += (item["arguments"] ?? item["input"])?.utf8Count ?? 0
    }
    members.note(textBytesAtLeast: textBytes)
  }
}

/// Counts the calls of tools that the provider ran and bills outside `usage`.
private struct ResponsesToolCalls {
  /// Calls from the items of the output.
  private var counted: [ExtraCall] = []
  /// Searches from `tool_usage`. They take precedence over items, because they are the billed
  /// number.
  private var searches: Int64?
  /// The containers seen so far, and shell calls whose container isn't known yet.
  private var containers: Set<String> = []
  /// The containers with an ID, and the name of the tool that used each first.
  private var used: [(id: String, tool: String)] = []
  private var unplacedShellCalls: Set<String> = []
  /// The IDs of the counted items, because an output may repeat an item.
  private var countedItems: Set<String> = []

  /// The most containers of one answer that are told apart. Any further one is counted each time.
  private static let rememberedContainers = 1024
  /// The most items of one answer that are told apart by their ID.
  private static let rememberedItems = 1024

  mutating func startOver() {
    counted = []
    containers = []
    used = []
    unplacedShellCalls = []
    countedItems = []
  }

  /// Counts an item that is billed by the call, at its first appearance.
  private mutating func count(_ item: JSONValue, as name: String, surcharge: String) {
    if let id = item["id"]?.string, countedItems.count < Self.rememberedItems {
      guard countedItems.insert(id).inserted else { return }
    }
    counted.add(name, surcharge: surcharge)
  }

  /// Counts an action of the web search. Opening a page and searching for text in it are free.
  private mutating func count(webSearch item: JSONValue) {
    switch item["action"]?["type"]?.string {
    case "open_page", "find_in_page": break
    case nil, "search", "image_search":
      count(item, as: OpenAI.webSearch, surcharge: OpenAI.webSearch)
    case let action?:
      let name = "\(OpenAI.webSearch)_\(action)"
      count(item, as: name, surcharge: name)
    }
  }

  /// Counts a call of a kind that isn't known. The name of its price is its type without `_call`,
  /// so that a pricing file can add the price.
  private mutating func count(unknown item: JSONValue, _ type: String) {
    guard type.hasSuffix("_call"), !OpenAI.freeCalls.contains(type) else { return }
    let tool = String(type.dropLast("_call".utf8.count))
    let price = OpenAI.surcharge(ofTool: tool) ?? tool
    count(item, as: price, surcharge: price)
  }

  /// Counts a container at its first call. Its session is billed once, regardless of the number of
  /// tools and calls.
  private mutating func count(container: JSONValue?, of tool: String) {
    if let container = container?.string, containers.count < Self.rememberedContainers {
      guard containers.insert(container).inserted else { return }
      used.append((container, tool))
    }
    counted.add(tool, surcharge: nil)
  }

  /// Counts a shell call that ran at the provider. Either the call names its container, or the
  /// output shows it with the call's result. The app's own shell is free.
  private mutating func count(shellCall item: JSONValue) {
    if item["environment"]?["type"]?.isString("container_reference") ?? false {
      count(container: item["environment"]?["container_id"], of: OpenAI.shell)
    } else if let call = item["call_id"]?.string,
      unplacedShellCalls.count < Self.rememberedContainers
    {
      unplacedShellCalls.insert(call)
    }
  }

  private mutating func count(shellOutput item: JSONValue) {
    guard let call = item["call_id"]?.string, unplacedShellCalls.remove(call) != nil,
      containers.insert("").inserted
    else { return }
    counted.add(OpenAI.shell, surcharge: nil)
  }

  mutating func read(toolUsage value: JSONValue) {
    guard let count = value["web_search"]?["num_requests"]?.integer,
      (0...Usage.largestCount).contains(count)
    else { return }
    searches = max(searches ?? 0, count)
  }

  /// Counts an item of the output if it is a call that has a price of its own.
  mutating func count(_ item: JSONValue) {
    guard let type = item["type"]?.string else { return }
    switch type {
    case "web_search_call": count(webSearch: item)
    case "file_search_call":
      count(item, as: OpenAI.fileSearch, surcharge: OpenAI.fileSearch)
    case "code_interpreter_call":
      count(container: item["container_id"], of: OpenAI.codeInterpreter)
    case "image_generation_call":
      count(item, as: OpenAI.imageGeneration, surcharge: OpenAI.imageGeneration)
    case "shell_call": count(shellCall: item)
    case "shell_call_output": count(shellOutput: item)
    default: count(unknown: item, type)
    }
  }

  func containers(in prices: Containers) -> [UsedContainer] {
    used.map {
      UsedContainer(
        id: $0.id, tool: $0.tool,
        price: prices.price(ofTool: $0.tool) ?? ContainerPrice.ofUnknownSize)
    }
  }

  /// - Parameter containers: The prices of the used containers.
  func calls(in containers: Containers) -> [ExtraCall] {
    let counted = counted.map { call in
      containers.price(ofTool: call.name).map {
        ExtraCall(name: call.name, count: call.count, surcharge: $0)
      } ?? call
    }
    guard let searches else { return counted }
    var calls = counted.filter { $0.name != OpenAI.webSearch }
    if searches > 0 {
      calls.append(ExtraCall(name: OpenAI.webSearch, count: searches, surcharge: OpenAI.webSearch))
    }
    return calls
  }
}
