// Made by Scripts/generate from Sources/Networking/Models/Payments/ReaderLocation.swift: change that, not this.
public import Networking

extension ReaderLocation: Fakeable {
    public static func fake(from source: inout FakeSource) -> ReaderLocation {
        ReaderLocation(
            id: .fake(from: &source),
            displayName: .fake(from: &source),
            liveMode: .fake(from: &source),
            address: .fake(from: &source))
    }
}
