public import HTTP
public import JSON
internal import Objects

/// Why a request can't be metered, and so is refused before anything is forwarded.
public enum MeteringError: Error, Hashable, Sendable {
  case notJSON(JSONError)
  case notAnObject
  case notAForm(MultipartError)
  /// A key stands twice in an object whose members matter: provider and meter could read different
  /// values.
  case repeatedMember(String)
  /// `Content-Encoding` names a coding, and the body isn't what that makes.
  case undecodable(coding: String)
  /// The request names more objects at the provider than are looked up.
  case tooManyReferences
  case missing(param: String)
  /// - Parameter expected: completes "PARAM must be …".
  case invalid(param: String, expected: String)
  /// - Parameter reason: a sentence.
  case unsupported(param: String, reason: String)
}

extension MeteringError {
  /// The name of a user, conversation or agent isn't one.
  static func invalidIdentifier(param: String) -> MeteringError {
    .invalid(param: param, expected: PlainText.rule)
  }

  /// The objects that a request names, which `search` finds.
  static func references(
    by search: () throws(TooManyReferences) -> [ObjectReference]
  ) throws(MeteringError) -> [ObjectReference] {
    do { return try search() } catch { throw .tooManyReferences }
  }

  /// The `code` of the error that the client gets.
  public var code: String {
    if case .unsupported = self { "unsupported_parameter" } else { "invalid_json" }
  }

  /// The `param` of the error that the client gets.
  public var param: String? {
    switch self {
    case .notJSON, .notAnObject, .notAForm, .undecodable, .tooManyReferences: nil
    case .repeatedMember(let name): name
    case .missing(let param), .invalid(let param, _), .unsupported(let param, _): param
    }
  }

  /// The `message` of the error that the client gets: one sentence.
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
