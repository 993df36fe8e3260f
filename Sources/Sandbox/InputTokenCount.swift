internal import JSON

/// The answer of `POST /responses/input_tokens`: the prompt tokens that the sandbox would report.
enum InputTokenCount {
  static func answer(to body: [UInt8]) throws(ProviderError) -> [UInt8] {
    let parser = JSONParser()
    let root: JSONValue
    do {
      root = try parser.parse(body)
    } catch {
      throw .unreadableBody
    }
    guard let input = root["input"] else {
      throw ProviderError(
        status: 400, message: "Missing required parameter: 'input'.", param: "input",
        code: "missing_required_parameter")
    }
    var writer = JSONWriter()
    writer.object {
      $0.member("object", "response.input_tokens")
      $0.member("input_tokens", count(input))
    }
    return writer.bytes
  }

  /// The tokens of an input: one text, or a list of messages.
  private static func count(_ input: JSONValue) -> Int64 {
    if let textBytes = input.utf8Count {
      return SandboxUsage.promptTokens(textBytes: textBytes, messageCount: 1)
    }
    var textBytes = 0
    var messageCount = 0
    for message in input.elements {
      messageCount += 1
      textBytes += ChatRequest.text(of: message["content"]).utf8.count
    }
    return SandboxUsage.promptTokens(textBytes: textBytes, messageCount: messageCount)
  }
}
