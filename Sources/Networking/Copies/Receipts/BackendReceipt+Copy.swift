// Made by Scripts/generate from Sources/Networking/Models/Receipts/BackendReceipt.swift: change that, not this.
public import Determinism

extension BackendReceipt {
    /// The same with other values for what is given; what is nil stays.
    public func copy(receiptURL: String? = nil, expirationDate: CivilDate? = nil) -> BackendReceipt {
        BackendReceipt(receiptURL: receiptURL ?? self.receiptURL, expirationDate: expirationDate ?? self.expirationDate)
    }
}
