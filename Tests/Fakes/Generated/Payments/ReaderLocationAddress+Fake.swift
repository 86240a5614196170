// Made by Scripts/generate from Sources/Networking/Models/Payments/ReaderLocationAddress.swift: change that, not this.
public import Networking

extension ReaderLocationAddress: Fakeable {
    public static func fake(from source: inout FakeSource) -> ReaderLocationAddress {
        ReaderLocationAddress(
            line1: .fake(from: &source),
            line2: .fake(from: &source),
            city: .fake(from: &source),
            state: .fake(from: &source),
            postalCode: .fake(from: &source),
            country: .fake(from: &source))
    }
}
