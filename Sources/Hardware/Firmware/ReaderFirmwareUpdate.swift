public import Determinism

/// Firmware that a reader could have instead of its own.
public struct ReaderFirmwareUpdate: Hashable, Sendable {
    /// Whether the shop may leave it.
    public enum Need: Hashable, Sendable {
        case optional
        /// From the beginning of this day on, by the clock on the wall, the reader is not used without it.
        case requiredFrom(CivilDate)
        case required
    }

    /// With a lower charge than this, 0...1, no update is begun: a reader whose battery ends in the middle has no firmware.
    public static let leastBatteryLevel = 0.5

    /// What ``CardReader/softwareVersion`` of the reader will be.
    public let version: String
    public let need: Need
    public let estimate: ReaderUpdateTimeEstimate
    let firmware: ReaderFirmware

    init(_ firmware: ReaderFirmware, fileSize: Int) {
        (self.firmware, need, version) = (firmware, firmware.need, String(describing: firmware.release))
        estimate = ReaderUpdateTimeEstimate(fileSize: fileSize)
    }

    /// Whether the reader may not be used without it on this day.
    public func isRequired(on date: CivilDate) -> Bool {
        switch need {
        case .optional: false
        case .required: true
        case .requiredFrom(let first): (first.year, first.month, first.day) <= (date.year, date.month, date.day)
        }
    }

    /// Refuses a battery that might not last.
    ///
    /// - Parameter level: 0...1; nil for a reader that lives on USB power.
    /// - Throws: ``UnderlyingError/readerSoftwareUpdateFailedBatteryLow(_:)``
    public static func check(batteryLevel level: Double?) throws(UnderlyingError) {
        guard let level, level < leastBatteryLevel else { return }
        throw .readerSoftwareUpdateFailedBatteryLow(level)
    }
}
