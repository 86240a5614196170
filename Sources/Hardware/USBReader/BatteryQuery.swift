/// How a reader is asked for its battery's charge. CCID knows no batteries: makers answer one of their own
/// Escape commands (CCID 1.1 §6.1.8), and each reader that is known to is a line of ``all``.
struct BatteryQuery: Hashable, Sendable {
    /// USB vendor and product, four hexadecimal digits each: `1209:0004`.
    let usbID: String
    /// The data of the Escape command.
    let command: [UInt8]
    /// What the answer begins with, before the byte that holds the charge in percent.
    let answerPrefix: [UInt8]

    static let all = [
        // The simulated readers with a battery: test identifiers of pid.codes.
        BatteryQuery(usbID: "1209:0004", command: [0x42, 0x41, 0x54], answerPrefix: [0x42, 0x41, 0x54]),
        BatteryQuery(usbID: "1209:000d", command: [0x42, 0x41, 0x54], answerPrefix: [0x42, 0x41, 0x54]),
    ]

    /// At this charge or below a battery is low.
    static let lowLevel = 0.2

    /// - Parameter usbID: vendor and product.
    /// - Returns: nil for a reader that is not known to have a battery.
    static func of(_ usbID: String?) -> BatteryQuery? { all.first { $0.usbID == usbID } }

    /// The charge in an answer, 0...1; nil when it holds none.
    func level(in answer: [UInt8]) -> Double? {
        guard answer.count == answerPrefix.count + 1, answer.starts(with: answerPrefix),
            let percent = answer.last, percent <= 100
        else { return nil }
        return Double(percent) / 100
    }
}
