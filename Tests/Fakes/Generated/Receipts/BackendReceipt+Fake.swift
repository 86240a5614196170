// Made by Scripts/generate from Sources/Networking/Models/Receipts/BackendReceipt.swift: change that, not this.
public import Networking

extension BackendReceipt: Fakeable {
    public static func fake(from source: inout FakeSource) -> BackendReceipt {
        BackendReceipt(receiptURL: .fake(from: &source), expirationDate: .fake(from: &source))
    }
}
