public import Pricing

extension Endpoints {
  /// Returns the separately priced quantities that answers of an operation's endpoints can report
  /// besides input and output.
  ///
  /// - Parameter operation: A model's operation in the price book. The endpoint of responses also
  ///   serves models of `chat`.
  public static func reportableQuantities(of operation: Operation) -> Set<PricedQuantity> {
    let operations = operation == .chat ? [operation, .responses] : [operation]
    return metered.filter { operations.contains($0.operation) }
      .reduce(into: []) { $0.formUnion($1.answer.reportableDetails) }
  }

  /// Whether requests of an operation can have the provider run tools.
  public static func runsTools(_ operation: Operation) -> Bool {
    metered.contains { $0.operation == operation && $0.request.takesTools }
  }
}

extension RequestFormat {
  fileprivate var takesTools: Bool {
    if case .json(let fields) = self { fields.values.contains(.tools) } else { false }
  }
}
