import JSON
internal import Objects

/// Work that a provider continues after its HTTP answer: a background response, or a batch. The
/// status of its object says its stage.
public struct ProviderWork: Sendable, Hashable {
  public enum Stage: Sendable, Hashable {
    case underway
    case ended(End)
  }

  public enum End: Sendable, Hashable {
    /// Includes work that a limit cut short.
    case completed
    case failed
    case cancelled
    /// The provider gave up. It bills the part that was done.
    case expired
  }

  /// The provider's ID of the work: a plain segment of a path.
  public let id: String
  public let stage: Stage

  /// Returns nil unless the object has an ID and a known status.
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
