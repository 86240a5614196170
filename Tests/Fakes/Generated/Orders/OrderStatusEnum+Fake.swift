// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderStatusEnum.swift: change that, not this.
public import Networking

extension OrderStatusEnum: Fakeable {
    public static func fake(from source: inout FakeSource) -> OrderStatusEnum {
        let cases: [OrderStatusEnum] = [
            .autoDraft,
            .pending,
            .processing,
            .onHold,
            .completed,
            .cancelled,
            .refunded,
            .failed,
            .custom(source.word()),
        ]
        return source.element(of: cases) ?? cases[0]
    }
}
