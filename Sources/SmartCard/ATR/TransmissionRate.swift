/// F and D: how many clock cycles an elementary time unit (etu) takes, F / D (ISO/IEC 7816-3 §7.1).
public struct TransmissionRate: Hashable, Sendable {
    /// F, the clock rate conversion integer.
    public let clockRateConversion: Int
    /// D, the baud rate adjustment integer.
    public let baudRateAdjustment: Int

    /// F = 372, D = 1: what holds during the answer to reset and until something else is agreed.
    public static let initial = TransmissionRate(clockRateConversion: 372, baudRateAdjustment: 1)

    private init(clockRateConversion: Int, baudRateAdjustment: Int) {
        (self.clockRateConversion, self.baudRateAdjustment) = (clockRateConversion, baudRateAdjustment)
    }

    /// Reads FI (high nibble) and DI (low nibble) of TA1 or PPS1; nil for values kept for future use.
    public init?(rateByte: UInt8) {
        guard let f = Self.conversions[rateByte >> 4], let d = Self.adjustments[rateByte & 0x0F] else { return nil }
        self.init(clockRateConversion: f, baudRateAdjustment: d)
    }

    private static let conversions: [UInt8: Int] = [
        0: 372, 1: 372, 2: 558, 3: 744, 4: 1116, 5: 1488, 6: 1860, 9: 512, 10: 768, 11: 1024, 12: 1536, 13: 2048,
    ]
    private static let adjustments: [UInt8: Int] = [1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 12, 9: 20]

    /// How long `count` elementary time units take at the card's clock; a clock below 1 Hz counts as 1 Hz.
    public func time(units count: Int, clockHertz: Int) -> Duration {
        Duration.seconds(count * clockRateConversion) / (max(1, clockHertz) * baudRateAdjustment)
    }
}
