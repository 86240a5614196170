// Made by Scripts/generate from Sources/Networking/Models/Customers/Customer.swift: change that, not this.
public import Networking
public import Storage

extension CustomerRecord: ReadOnlyConvertible {
    public init(_ model: Customer) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            email: model.email,
            username: model.username,
            firstName: model.firstName,
            lastName: model.lastName,
            role: model.role,
            isPayingCustomer: model.isPayingCustomer,
            dateCreatedGMT: model.dateCreatedGMT,
            dateModifiedGMT: model.dateModifiedGMT,
            billingFirstName: model.billing?.firstName,
            billingLastName: model.billing?.lastName,
            billingCompany: model.billing?.company,
            billingAddress1: model.billing?.address1,
            billingAddress2: model.billing?.address2,
            billingCity: model.billing?.city,
            billingState: model.billing?.state,
            billingPostcode: model.billing?.postcode,
            billingCountry: model.billing?.country,
            billingPhone: model.billing?.phone,
            billingEmail: model.billing?.email,
            shippingFirstName: model.shipping?.firstName,
            shippingLastName: model.shipping?.lastName,
            shippingCompany: model.shipping?.company,
            shippingAddress1: model.shipping?.address1,
            shippingAddress2: model.shipping?.address2,
            shippingCity: model.shipping?.city,
            shippingState: model.shipping?.state,
            shippingPostcode: model.shipping?.postcode,
            shippingCountry: model.shipping?.country,
            shippingPhone: model.shipping?.phone,
            shippingEmail: model.shipping?.email)
    }

    public func toReadOnly() throws -> Customer {
        try Customer(
            siteID: siteID,
            id: id,
            email: email,
            username: username,
            firstName: firstName,
            lastName: lastName,
            role: role,
            isPayingCustomer: isPayingCustomer,
            dateCreatedGMT: dateCreatedGMT,
            dateModifiedGMT: dateModifiedGMT,
            billing: readBilling(),
            shipping: readShipping())
    }

    private func readBilling() throws -> Address? {
        guard billingFirstName != nil else { return nil }
        return try Address(
            firstName: required(billingFirstName, "billingFirstName"),
            lastName: required(billingLastName, "billingLastName"),
            company: required(billingCompany, "billingCompany"),
            address1: required(billingAddress1, "billingAddress1"),
            address2: required(billingAddress2, "billingAddress2"),
            city: required(billingCity, "billingCity"),
            state: required(billingState, "billingState"),
            postcode: required(billingPostcode, "billingPostcode"),
            country: required(billingCountry, "billingCountry"),
            phone: billingPhone,
            email: billingEmail)
    }

    private func readShipping() throws -> Address? {
        guard shippingFirstName != nil else { return nil }
        return try Address(
            firstName: required(shippingFirstName, "shippingFirstName"),
            lastName: required(shippingLastName, "shippingLastName"),
            company: required(shippingCompany, "shippingCompany"),
            address1: required(shippingAddress1, "shippingAddress1"),
            address2: required(shippingAddress2, "shippingAddress2"),
            city: required(shippingCity, "shippingCity"),
            state: required(shippingState, "shippingState"),
            postcode: required(shippingPostcode, "shippingPostcode"),
            country: required(shippingCountry, "shippingCountry"),
            phone: shippingPhone,
            email: shippingEmail)
    }
}

extension Customer: ReadOnlyType {
    public typealias Record = CustomerRecord

    public func isReadOnlyRepresentation(of record: CustomerRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
