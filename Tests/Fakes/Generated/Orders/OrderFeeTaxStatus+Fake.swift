// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderFeeTaxStatus.swift: change that, not this.
public import Networking

extension OrderFeeTaxStatus: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderFeeTaxStatus {
        let cases: [OrderFeeTaxStatus] = [.taxable, .none, .other(source.word())]
        return source.element(of: cases) ?? cases[0]
    }
}
