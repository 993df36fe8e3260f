import Money
import Testing

@testable import Pricing

@Suite struct PriceTableTests {
  @Test("What an overlay leaves out keeps its price")
  func overlay() throws {
    let base = PriceTable([.input: .one, .output: .one])
    let overlaid = base.overlaid(by: PriceTable([.output: .zero, .image: .one]))
    #expect(overlaid == PriceTable([.input: .one, .output: .zero, .image: .one]))
  }

  @Test("The dearest of two tables is the dearest of each quantity")
  func dearest() throws {
    let left = PriceTable([.input: .one, .output: .zero])
    let right = PriceTable([.input: .zero, .output: .one, .call: .zero])
    let dearest = PriceTable([.input: .one, .output: .one, .call: .zero])
    #expect(left.dearest(or: right) == dearest)
    #expect(right.dearest(or: left) == dearest)
  }

  @Test("Every quantity has a price key of its own")
  func keys() {
    #expect(Set(PricedQuantity.allCases.map(\.priceKey)).count == PricedQuantity.allCases.count)
  }
}
