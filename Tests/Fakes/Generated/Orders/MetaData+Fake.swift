// Made by Scripts/generate from Sources/Networking/Models/Orders/MetaData.swift: change that, not this.
public import Networking

extension MetaData: Fakeable {
    public static func fake(from source: inout FakeSource) -> MetaData {
        MetaData(id: .fake(from: &source), key: .fake(from: &source), value: .fake(from: &source))
    }
}
