/// An error in the words of the providers.
struct ProviderError: Error, Equatable {
  var status: Int
  var message: String
  var type = "invalid_request_error"
  var param: String?
  var code: String?

  static let missingKey = ProviderError(
    status: 401,
    message: "You didn't provide an API key. You need to provide your API key in an "
      + "Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    code: "invalid_api_key")

  static let unreadableBody = ProviderError(
    status: 400, message: "We could not parse the JSON body of your request.")

  static let missingModel = ProviderError(
    status: 400, message: "you must provide a model parameter", param: "model")

  static func unknownModel(_ model: String) -> ProviderError {
    ProviderError(
      status: 404,
      message: "The model `\(model)` does not exist or you do not have access to it.",
      code: "model_not_found")
  }

  static func unknownPath(_ method: String, _ path: String) -> ProviderError {
    ProviderError(status: 404, message: "Invalid URL (\(method) \(path))")
  }

  /// The error that a script asks for.
  static func scripted(status: Int) -> ProviderError {
    let message = "The sandbox was asked for status \(status)."
    return switch status {
    case 401:
      ProviderError(status: status, message: message, code: "invalid_api_key")
    case 429:
      ProviderError(
        status: status, message: message, type: "requests", code: "rate_limit_exceeded")
    case 500...: ProviderError(status: status, message: message, type: "server_error")
    default: ProviderError(status: status, message: message)
    }
  }

  /// The error in the middle of a stream.
  static let midstream = ProviderError(
    status: 200, message: "The server had an error while processing your request.",
    type: "server_error")

  var json: JSONText {
    """
    {"error":{"message":\(message),"type":\(type),"param":\(param),"code":\(code)}}
    """
  }
}
