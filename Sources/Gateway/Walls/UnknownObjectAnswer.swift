internal import HTTP
internal import Metering
internal import Objects

extension RefusalAnswer {
  /// The provider's own answer for an object that it doesn't have. The answer is the same whether
  /// the object doesn't exist or belongs to another client, so that clients learn nothing of each
  /// other.
  static func unknownObject(_ reference: ObjectReference) -> RefusalAnswer {
    let id = String(reference.id.prefix(PlainText.longest))
    if reference.place == previousResponse {
      return RefusalAnswer(
        400, "invalid_request_error", "previous_response_not_found",
        "Previous response with id '\(id)' not found.", param: previousResponse)
    }
    if reference.kind == .fineTuningJob, id.hasPrefix("ft:") {
      return RefusalAnswer(
        404, "invalid_request_error", "model_not_found",
        "The model `\(id)` does not exist or you do not have access to it.")
    }
    let isFileInPath = reference.kind == .file && reference.place == nil
    var answer = RefusalAnswer(
      404, "invalid_request_error", "object_not_found", text(reference.kind, id),
      param: isFileInPath ? "id" : reference.place)
    answer.saysCode = false
    return answer
  }

  private static let previousResponse = "previous_response_id"

  private static func text(_ kind: ObjectKind, _ id: String) -> String {
    switch kind {
    case .file: "No such File object: \(id)"
    case .batch: "No batch found with id '\(id)'."
    case .response: "Response with id '\(id)' not found."
    case .conversation: "Conversation with id '\(id)' not found."
    case .item: "Item with id '\(id)' not found."
    case .completion: "Chat completion with id '\(id)' not found."
    case .container where id.hasPrefix("cfile_"): "Container file with id '\(id)' not found."
    case .container: "Container with id '\(id)' not found."
    case .vectorStore where id.hasPrefix("vsfb_"): "No file batch found with id '\(id)'."
    case .vectorStore: "Vector store with id '\(id)' not found."
    case .skill: "Skill with id '\(id)' not found."
    case .prompt where id.hasPrefix("voice_"): "Voice with id '\(id)' not found."
    case .prompt where id.hasPrefix("tunnel_"): "Tunnel with id '\(id)' not found."
    case .prompt where id.hasPrefix("connector_"): "Connector with id '\(id)' not found."
    case .prompt: "Prompt with id '\(id)' not found."
    case .upload: "Upload with id '\(id)' not found."
    case .video: "Video with id '\(id)' not found."
    case .eval where id.hasPrefix("evalrun_"): "No run found with id '\(id)'."
    case .eval: "Eval with id '\(id)' not found."
    case .fineTuningJob: "Could not find fine tune: \(id)"
    }
  }
}
