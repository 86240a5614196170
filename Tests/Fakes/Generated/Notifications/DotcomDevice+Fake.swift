// Made by Scripts/generate from Sources/Networking/Models/Notifications/DotcomDevice.swift: change that, not this.
public import Networking

extension DotcomDevice: Fakeable {
    public static func fake(from source: inout FakeSource) -> DotcomDevice {
        DotcomDevice(id: .fake(from: &source))
    }
}
