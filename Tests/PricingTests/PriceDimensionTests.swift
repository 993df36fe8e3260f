import Pricing
import Testing

@Suite("Parts of a model's prices") struct PriceDimensionTests {
  private static let all: [PriceDimension] =
    [.model, .tier("flex"), .completionWindow("2h"), .call("web_search"), .call("container 4g")]
    + PricedQuantity.allCases.map { .quantity($0) }

  @Test("Each is known again by its kind and name", arguments: all)
  func readBack(dimension: PriceDimension) {
    #expect(PriceDimension(dimension.kind, name: dimension.name) == dimension)
  }

  @Test("A container is told by its memory")
  func container() {
    let dimension = PriceDimension.call(ContainerPrice.name(ofSize: "4g"))
    #expect((dimension.kind, dimension.name) == (.container, "4g"))
    #expect("\(dimension)" == "container 4g")
  }

  @Test(
    "A model has the prices that its file states",
    arguments: [
      ("gpt-4o-mini", .model, true), ("gpt-4o-mini", .quantity(.cachedInput), true),
      ("gpt-4o-mini", .quantity(.audioInput), false), ("gpt-4o-mini", .tier("express"), false),
      ("gpt-4o-mini", .tier("default"), true), ("gpt-4o-mini", .completionWindow("5m"), false),
      ("whisper", .quantity(.minute), true), ("whisper", .call("web_search"), false),
    ] as [(String, PriceDimension, Bool)])
  func stated(model: String, dimension: PriceDimension, isStated: Bool) {
    let priced = Fixtures.model(model)
    #expect(priced.hasPrice(of: dimension, at: Fixtures.now.instant) == isStated)
  }
}
