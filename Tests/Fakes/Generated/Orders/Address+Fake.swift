// Made by Scripts/generate from Sources/Networking/Models/Orders/Address.swift: change that, not this.
public import Networking

extension Address: Fakeable {
    public static func fake(from source: inout FakeSource) -> Address {
        Address(
            firstName: .fake(from: &source),
            lastName: .fake(from: &source),
            company: .fake(from: &source),
            address1: .fake(from: &source),
            address2: .fake(from: &source),
            city: .fake(from: &source),
            state: .fake(from: &source),
            postcode: .fake(from: &source),
            country: .fake(from: &source),
            phone: .fake(from: &source),
            email: .fake(from: &source))
    }
}
