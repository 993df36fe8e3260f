public import HTTP
public import JSON
internal import Objects

/// The reason that a request can't be metered. It is refused before anything is forwarded.
public enum MeteringError: Error, Hashable, Sendable {
  case notJSON(JSONError)
  case notAnObject
  case notAForm(MultipartError)
  /// An object whose members matter has a key twice: provider and meter could read different
  /// values.
  case repeatedMember(String)
  /// The body isn't in the coding that `Content-Encoding` names.
  case undecodable(coding: String)
  /// The request names more of the provider's objects than the limit.
  case tooManyReferences
  case missing(param: String)
  /// - Parameter expected: Completes the sentence "PARAM must be …".
  case invalid(param: String, expected: String)
  /// - Parameter reason: A whole sentence.
  case unsupported(param: String, reason: String)
}

extension MeteringError {
  /// The name of a user, conversation or agent is invalid.
  static func invalidIdentifier(param: String) -> MeteringError {
    .invalid(param: param, expected: PlainText.rule)
  }

  /// Returns the objects that `search` finds in a request.
  static func references(
    by search: () throws(TooManyReferences) -> [ObjectReference]
  ) throws(MeteringError) -> [ObjectReference] {
    do { return try search() } catch { throw .tooManyReferences }
  }

  /// The `code` of the client's error.
  public var code: String {
    if case .unsupported = self { "unsupported_parameter" } else { "invalid_json" }
  }

  /// The `param` of the client's error; nil if no member is at fault.
  public var param: String? {
    switch self {
    case .notJSON, .notAnObject, .notAForm, .undecodable, .tooManyReferences: nil
    case .repeatedMember(let name): name
    case .missing(let param), .invalid(let param, _), .unsupported(let param, _): param
    }
  }

  /// The `message` of the client's error: one sentence.
  public var message: String {
    switch self {
    case .notJSON(let reason): "The request body is not valid JSON: \(reason)."
    case .notAnObject: "The request body must be a JSON object."
    case .notAForm(let error): "The request body is not a valid form: \(error.reason)."
    case .repeatedMember(let name):
      "The request body has the member '\(name)' more than once in one object."
    case .undecodable(let coding):
      "The request body is not what its 'Content-Encoding' says: one body in '\(coding)', whole."
    case .tooManyReferences:
      "The request names more than \(TooManyReferences.limit) objects of the provider."
    case .missing(let param): "The request body has no '\(param)'."
    case .invalid(let param, let expected): "'\(param)' must be \(expected)."
    case .unsupported(_, let reason): reason
    }
  }
}
