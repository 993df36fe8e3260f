internal import JSON
internal import Logging
internal import Metering
internal import Pricing

extension PricingGap {
  /// Tells the operator how an answer was charged for want of a price.
  ///
  /// - Parameter members: writes whose request it is.
  func write(to logger: Logger, members: (inout JSONWriter) -> Void) {
    switch fault {
    case nil: break
    case .unpriced(let cost, let calls):
      logger.log(.warn, "quantity_not_priced") { line in
        members(&line)
        line.member("quantities") { list in
          list.array { for quantity in cost.unpriced { $0.string(quantity.priceKey) } }
        }
        if cost.unpriced.contains(.call) {
          line.member("calls") { list in list.array { for call in calls { $0.string(call.name) } } }
        }
        line.member("tier_assumed", cost.isTierAssumed)
      }
    case .unpriceable(let error):
      logger.log(.error, "answer_not_priced") { line in
        members(&line)
        line.member("reason", "\(error)")
        line.member("charged", "the whole hold")
      }
    }
  }
}
