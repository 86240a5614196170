public import Determinism

/// Which orders are asked for. Moments are UTC.
public struct OrderFilter: Hashable, Sendable {
    /// Nil for any.
    public var statuses: [OrderStatusEnum]?
    public var after: Timestamp?
    public var before: Timestamp?
    public var modifiedAfter: Timestamp?
    public var customerID: Int64?
    public var productID: Int64?
    public var search: String?
    /// Only these; nil for any.
    public var orderIDs: [Int64]?

    public init(
        statuses: [OrderStatusEnum]? = nil, after: Timestamp? = nil, before: Timestamp? = nil,
        modifiedAfter: Timestamp? = nil, customerID: Int64? = nil, productID: Int64? = nil, search: String? = nil,
        orderIDs: [Int64]? = nil
    ) {
        (self.statuses, self.after, self.before, self.modifiedAfter) = (statuses, after, before, modifiedAfter)
        (self.customerID, self.productID, self.search, self.orderIDs) = (customerID, productID, search, orderIDs)
    }

    var parameters: Parameters {
        let words = statuses.map { $0.isEmpty ? "any" : $0.map(\.rawValue).joined(separator: ",") } ?? "any"
        var parameters: Parameters = ["status": .text(words), "dates_are_gmt": true]
        for (name, moment) in [("after", after), ("before", before), ("modified_after", modifiedAfter)] {
            if let moment { parameters.add(name, .text(moment.civil(offsetSeconds: 0).description)) }
        }
        parameters.add("customer", ifPresent: customerID)
        parameters.add("product", ifPresent: productID)
        parameters.add("search", ifPresent: search)
        parameters.add("include", ifPresent: orderIDs.map { $0.map(String.init).joined(separator: ",") })
        return parameters
    }
}
