public import Objects

/// The facts that few requests have.
///
/// A request's facts are copied some ten times on its way. These members stand apart, so that a
/// copy for a request without them costs nothing for each of them.
struct RareFacts: Sendable, Hashable {
  var completionWindow: String?
  var reasoningEffort: String?
  var callSurcharges: [String] = []
  var containers = Containers()
  var imageToolModel: String?
  var otherModels = NamedModels()
  var transcript: TranscriptRequest?
  var imageSize: String?
  var imageQuality: String?
  var references: [ObjectReference] = []
  var itemIDs: [String] = []

  /// The facts in a place of their own, which copies share.
  indirect enum Box: Sendable, Hashable {
    case facts(RareFacts)
  }
}

extension RequestFacts {
  private var rareFacts: RareFacts {
    get {
      guard case .facts(let facts)? = rare else { return RareFacts() }
      return facts
    }
    set { rare = newValue == RareFacts() ? nil : .facts(newValue) }
  }

  /// The time in which a background response must be complete; nil for as soon as possible.
  public var completionWindow: String? {
    get { rareFacts.completionWindow }
    set { rareFacts.completionWindow = newValue }
  }
  public var reasoningEffort: String? {
    get { rareFacts.reasoningEffort }
    set { rareFacts.reasoningEffort = newValue }
  }
  /// The names of those calls' prices in a pricing file's `surcharges`; empty if unknown.
  public var callSurcharges: [String] {
    get { rareFacts.callSurcharges }
    set { rareFacts.callSurcharges = newValue }
  }
  /// The prices of the containers of the provider's tools.
  var containers: Containers {
    get { rareFacts.containers }
    set { rareFacts.containers = newValue }
  }
  /// The model of the image tool; nil if the request doesn't declare that tool.
  public var imageToolModel: String? {
    get { rareFacts.imageToolModel }
    set { rareFacts.imageToolModel = newValue }
  }
  /// Further models that may answer instead of the request's own, or do a part of the work.
  public var otherModels: NamedModels {
    get { rareFacts.otherModels }
    set { rareFacts.otherModels = newValue }
  }
  /// For a transcription or translation: its format.
  public var transcript: TranscriptRequest? {
    get { rareFacts.transcript }
    set { rareFacts.transcript = newValue }
  }
  /// The size of the images to make, as the request names it.
  public var imageSize: String? {
    get { rareFacts.imageSize }
    set { rareFacts.imageSize = newValue }
  }
  /// The quality of the images to make, as the request names it.
  public var imageQuality: String? {
    get { rareFacts.imageQuality }
    set { rareFacts.imageQuality = newValue }
  }
  /// The provider's objects that the request names, without duplicates.
  public var references: [ObjectReference] {
    get { rareFacts.references }
    set { rareFacts.references = newValue }
  }
  /// The ids that the request gives to its items, each once; empty where the provider keeps none of
  /// the items. See `ItemIDs`.
  public var itemIDs: [String] {
    get { rareFacts.itemIDs }
    set { rareFacts.itemIDs = newValue }
  }
}
