/// Tells when a battery falls to a low charge, and when it is above it again. A value without I/O.
struct BatteryAlarm {
    private var isLow = false

    /// Takes in a reading.
    ///
    /// - Parameter level: 0...1; nil when it is not known.
    /// - Returns: what is to be told; nil when nothing changed.
    mutating func take(_ level: Double?) -> CardReaderEvent? {
        guard let level else { return nil }
        let wasLow = isLow
        isLow = level <= BatteryQuery.lowLevel
        guard isLow != wasLow else { return nil }
        return isLow ? .lowBattery(level) : .lowBatteryResolved(level)
    }
}
