// Made by Scripts/generate from Sources/Yosemite/Models/SynchronizationMark.swift: change that, not this.
public import Yosemite

extension SynchronizationMark: Fakeable {
    public static func fake(from source: inout FakeSource) -> SynchronizationMark {
        SynchronizationMark(
            siteID: .fake(from: &source),
            entity: .fake(from: &source),
            synchronizedAt: .fake(from: &source),
            modifiedUpTo: .fake(from: &source))
    }
}
