/// Descriptors as devices send them, put together from the tables in USB 2.0 §9.6 and CCID 1.1 §5.1.
enum DescriptorSamples {
    static let device: [UInt8] = [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x23, 0x01, 1, 2, 3, 1,
    ]

    static let interface: [UInt8] = [9, 4, 0, 0, 3, 0x0B, 0, 0, 0]
    static let ccid: [UInt8] = [54, 0x21, 0x10, 0x01] + [UInt8](repeating: 0x07, count: 50)
    static let endpoints: [UInt8] = [7, 5, 0x81, 3, 8, 0, 16, 7, 5, 0x82, 2, 64, 0, 0, 7, 5, 0x03, 2, 64, 0, 0]

    /// A configuration numbered `value` with `body` after its head.
    static func configuration(_ value: UInt8 = 1, _ body: [UInt8]...) -> [UInt8] {
        let body = body.flatMap { $0 }
        let total = UInt16(9 + body.count)
        return [9, 2, UInt8(total & 0xFF), UInt8(total >> 8), 1, value, 0, 0x80, 50] + body
    }
}
