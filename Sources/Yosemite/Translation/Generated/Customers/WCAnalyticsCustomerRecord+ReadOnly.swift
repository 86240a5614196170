// Made by Scripts/generate from Sources/Networking/Models/Customers/WCAnalyticsCustomer.swift: change that, not this.
public import Networking
public import Storage

extension WCAnalyticsCustomerRecord: ReadOnlyConvertible {
    public init(_ model: WCAnalyticsCustomer) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            userID: model.userID,
            name: model.name,
            username: model.username,
            email: model.email,
            country: model.country,
            state: model.state,
            city: model.city,
            postcode: model.postcode,
            dateRegisteredGMT: model.dateRegisteredGMT,
            dateLastActiveGMT: model.dateLastActiveGMT,
            ordersCount: model.ordersCount,
            totalSpend: model.totalSpend,
            avgOrderValue: model.avgOrderValue)
    }

    public func toReadOnly() throws -> WCAnalyticsCustomer {
        WCAnalyticsCustomer(
            siteID: siteID,
            id: id,
            userID: userID,
            name: name,
            username: username,
            email: email,
            country: country,
            state: state,
            city: city,
            postcode: postcode,
            dateRegisteredGMT: dateRegisteredGMT,
            dateLastActiveGMT: dateLastActiveGMT,
            ordersCount: ordersCount,
            totalSpend: totalSpend,
            avgOrderValue: avgOrderValue)
    }
}

extension WCAnalyticsCustomer: ReadOnlyType {
    public typealias Record = WCAnalyticsCustomerRecord

    public func isReadOnlyRepresentation(of record: WCAnalyticsCustomerRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
