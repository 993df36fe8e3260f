import JSON
internal import Objects

/// Work that a provider goes on with after its HTTP answer: a response made in the background, or a
/// batch. Its object says by its status how far it is.
public struct ProviderWork: Sendable, Hashable {
  public enum Stage: Sendable, Hashable {
    case underway
    case ended(End)
  }

  public enum End: Sendable, Hashable {
    /// Also where a limit cut it short.
    case completed
    case failed
    case cancelled
    /// The provider gave up; what was done by then is billed.
    case expired
  }

  /// The provider's id of it: a plain segment of a path.
  public let id: String
  public let stage: Stage

  /// Nil unless the object has an id and a status that is known.
  init?(_ object: JSONValue) {
    guard let id = object["id"]?.string, MadeObject.isID(id),
      let stage = object["status"]?.string.flatMap({ ProviderWork.stages[$0] })
    else { return nil }
    self.id = id
    self.stage = stage
  }

  private static let stages: [String: Stage] = [
    "queued": .underway, "in_progress": .underway, "validating": .underway,
    "finalizing": .underway, "cancelling": .underway,
    "completed": .ended(.completed), "incomplete": .ended(.completed),
    "failed": .ended(.failed), "expired": .ended(.expired),
    "cancelled": .ended(.cancelled), "canceled": .ended(.cancelled),
  ]
}
