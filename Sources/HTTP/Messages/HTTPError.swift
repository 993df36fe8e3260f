/// The reason that bytes aren't the HTTP/1.1 that this module accepts.
///
/// After any of these errors, the connection can't be read further, because the start of the next
/// message is unknown.
public enum HTTPError: Error, Hashable, Sendable {
  // Errors of the request line.
  case malformedRequestLine
  case unsupportedMethod
  case unsupportedVersion
  case invalidTarget
  case targetTooLong

  // Errors of the fields.
  case headerTooLarge
  case tooManyFields
  case invalidLineEnding
  case controlCharacter
  case foldedField
  case invalidFieldName
  case invalidFieldValue

  // Errors of the fields that control the connection.
  case missingHost
  case repeatedHost
  case invalidHost
  case repeatedContentType
  case invalidContentLength
  case repeatedContentLength
  case conflictingFraming
  case unsupportedTransferEncoding
  case transferEncodingBeforeHTTP11
  case unsupportedExpectation

  // Errors of a chunked body.
  case invalidChunkSize
  case invalidChunkEnd
  case invalidChunkExtension
  case chunkExtensionsTooLong
  case invalidTrailer
  case trailersTooLarge
}

extension HTTPError {
  /// The status code of RFC 9110, 9112 and 6585 for the error, 400…505.
  public var status: Int {
    switch self {
    case .targetTooLong: 414
    case .unsupportedExpectation: 417
    case .headerTooLarge, .tooManyFields, .trailersTooLarge: 431
    case .unsupportedMethod, .unsupportedTransferEncoding: 501
    case .unsupportedVersion: 505
    default: 400
    }
  }
}

extension HTTPError: CustomStringConvertible {
  /// The problem, as a clause for the author of the message.
  public var description: String {
    switch self {
    case .malformedRequestLine: "the first line is not METHOD PATH HTTP/1.1"
    case .unsupportedMethod: "CONNECT is not served here"
    case .unsupportedVersion: "the version of HTTP is not 1.1 or 1.0"
    case .invalidTarget: "the path or URL in the first line is not valid"
    case .targetTooLong: "the path or URL in the first line is too long"
    case .headerTooLarge: "the first line and the header are too large"
    case .tooManyFields: "the header has too many fields"
    case .invalidLineEnding: "a line does not end with CR LF"
    case .controlCharacter: "a line has a control character"
    case .foldedField: "a header field goes on in the next line"
    case .invalidFieldName: "the name of a header field is not valid"
    case .invalidFieldValue: "the value of a header field is not valid"
    case .missingHost: "Host is missing"
    case .repeatedHost: "Host is repeated"
    case .invalidHost: "Host is not valid"
    case .repeatedContentType: "Content-Type is repeated"
    case .invalidContentLength: "Content-Length is not a number, or too large"
    case .repeatedContentLength: "Content-Length is repeated"
    case .conflictingFraming: "both Content-Length and Transfer-Encoding are set"
    case .unsupportedTransferEncoding: "Transfer-Encoding is not chunked alone"
    case .transferEncodingBeforeHTTP11: "Transfer-Encoding is set in HTTP/1.0"
    case .unsupportedExpectation: "Expect is not 100-continue"
    case .invalidChunkSize: "the size of a chunk is not valid"
    case .invalidChunkEnd: "a chunk does not end where its size says"
    case .invalidChunkExtension: "an extension of a chunk is not valid"
    case .chunkExtensionsTooLong: "the extensions of chunks are too long"
    case .invalidTrailer: "a trailer field is not valid"
    case .trailersTooLarge: "the trailer fields are too large"
    }
  }
}
