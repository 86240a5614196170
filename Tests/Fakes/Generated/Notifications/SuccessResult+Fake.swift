// Made by Scripts/generate from Sources/Networking/Models/Notifications/SuccessResult.swift: change that, not this.
public import Networking

extension SuccessResult: Fakeable {
    public static func fake(from source: inout FakeSource) -> SuccessResult {
        SuccessResult(success: .fake(from: &source))
    }
}
