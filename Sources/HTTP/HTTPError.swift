/// Why bytes aren't the HTTP/1.1 that this module accepts.
///
/// After any of these the connection can't be read on: where the next message begins is unknown.
public enum HTTPError: Error, Hashable, Sendable {
  // The request line.
  case malformedRequestLine
  case unsupportedMethod
  case unsupportedVersion
  case invalidTarget
  case targetTooLong

  // The fields.
  case headerTooLarge
  case tooManyFields
  case invalidLineEnding
  case controlCharacter
  case foldedField
  case invalidFieldName
  case invalidFieldValue

  // The fields that the connection obeys.
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

  // A chunked body.
  case invalidChunkSize
  case invalidChunkEnd
  case invalidChunkExtension
  case chunkExtensionsTooLong
  case invalidTrailer
  case trailersTooLarge
}

extension HTTPError {
  /// The status code that RFC 9110, 9112 and 6585 give for it, 400…505.
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
