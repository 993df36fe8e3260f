/// The reason that a body isn't the `multipart/form-data` that this module accepts.
public enum MultipartError: Error, Hashable, Sendable {
  /// The media type isn't `multipart/form-data` with one boundary of 1 to 70 plain characters.
  case invalidContentType
  /// The body doesn't begin with the boundary's line, or bytes follow the closing one.
  case textOutsideParts
  /// The boundary occurs where it is no delimiter.
  case misplacedBoundary
  /// The closing boundary is missing.
  case incomplete
  case tooManyParts
  case partHeadTooLarge
  /// The fields of a part's head aren't valid.
  case invalidPartHead
  /// A part has no `Content-Disposition: form-data; name="…"`, or one that readers could understand
  /// differently.
  case invalidDisposition
  case unsupportedTransferEncoding
  /// A part names a charset other than UTF-8, or consists of parts itself.
  case unsupportedCharset
}

extension MultipartError {
  /// Completes the sentence "The request body is not a valid form: …".
  public var reason: String {
    switch self {
    case .invalidContentType: "Content-Type must be multipart/form-data with one boundary"
    case .textOutsideParts: "there are bytes outside its parts"
    case .misplacedBoundary: "the boundary occurs where it is no delimiter"
    case .incomplete: "the closing boundary is missing"
    case .tooManyParts: "it has more than \(MultipartForm.mostParts) parts"
    case .partHeadTooLarge: "a part's head exceeds \(MultipartForm.largestPartHead) bytes"
    case .invalidPartHead: "a part's head is not valid"
    case .invalidDisposition: "a part has no plain Content-Disposition with a name"
    case .unsupportedTransferEncoding: "a part has a Content-Transfer-Encoding"
    case .unsupportedCharset: "a part has another charset than UTF-8, or parts of its own"
    }
  }
}
