internal import Configuration
internal import Pricing

/// `catraca pricing diff A B`: what differs between the prices of two files or folders.
enum PricingDiff {
  private static let before = Parameter(
    "before", ArgumentFormat<String>.path("A"), "a pricing file, or a folder of them",
    isRequired: true)
  private static let after = Parameter(
    "after", ArgumentFormat<String>.path("B"), "those to compare it with", isRequired: true)

  static let command = Command(
    "pricing diff", "shows which models and prices differ between pricing files",
    arguments: [before, after],
    options: [CommonOptions.format],
    examples: [
      Command.Example(
        line: "pricing diff config/pricing /tmp/prices",
        meaning: "models added and removed, and each price that changed")
    ]
  ) { invocation throws(CommandError) in
    let files = invocation.surroundings.files
    let before = try read(try invocation.values.required(before), files)
    let after = try read(try invocation.values.required(after), files)
    var table = Table(columns, emptyText: "No price differs.")
    for difference in PriceDifference.between(before, after) { table.append(row(difference)) }
    return CommandOutcome(.list(table))
  }

  private static let columns = [
    Table.Column("provider", "Provider"), Table.Column("model", "Model"),
    Table.Column("change", "Change"), Table.Column("price", "Price"),
    Table.Column("before", "Before"), Table.Column("after", "After"),
  ]

  private static func row(_ difference: PriceDifference) -> [Cell] {
    [
      .text(difference.provider), .text(difference.model), .text(difference.change.rawValue),
      .optional(difference.price), decimal(difference.before), decimal(difference.after),
    ]
  }

  private static func decimal(_ text: String?) -> Cell { text.map { .decimal($0) } ?? .none }

  private static func read(
    _ path: String, _ files: any FileSource
  ) throws(CommandError) -> [ProviderPrices] {
    let paths: [String]
    do {
      paths = try FolderListing.files(at: path, withSuffix: ".yaml")
    } catch {
      throw .failed("\(path): \(error.reason); allowed: a pricing file, or a folder of them")
    }
    do {
      return try PricingFiles(files).read(paths)
    } catch {
      switch error {
      case .mistakes(let mistakes): throw .configuration(mistakes)
      }
    }
  }
}
