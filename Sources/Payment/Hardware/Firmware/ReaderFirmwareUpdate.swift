import DFU
public import Determinism

/// A firmware update that is available for a reader.
public struct ReaderFirmwareUpdate: Hashable, Sendable {
    /// Whether the update is optional.
    public enum Need: Hashable, Sendable {
        case optional
        /// Required from the start of this day (local time): the reader is then not used without it.
        case requiredFrom(CivilDate)
        case required
    }

    /// The minimum battery level for an update, 0...1: a reader whose battery runs out during an update has no
    /// firmware.
    public static let leastBatteryLevel = 0.5

    /// The reader's ``CardReader/softwareVersion`` after the update.
    public let version: String
    public let need: Need
    public let estimate: ReaderUpdateTimeEstimate
    let firmware: ReaderFirmware

    init(_ firmware: ReaderFirmware, fileSize: Int) {
        (self.firmware, need, version) = (firmware, firmware.need, String(describing: firmware.release))
        estimate = ReaderUpdateTimeEstimate(fileSize: fileSize)
    }

    /// Whether the reader must not be used without the update on this day.
    public func isRequired(on date: CivilDate) -> Bool {
        switch need {
        case .optional: false
        case .required: true
        case .requiredFrom(let first): (first.year, first.month, first.day) <= (date.year, date.month, date.day)
        }
    }

    /// Checks that the battery is sufficient.
    ///
    /// - Parameter level: 0...1; nil for a reader that is powered by USB.
    /// - Throws: ``UnderlyingError/readerSoftwareUpdateFailedBatteryLow(_:)``
    public static func check(batteryLevel level: Double?) throws(UnderlyingError) {
        guard let level, level < leastBatteryLevel else { return }
        throw .readerSoftwareUpdateFailedBatteryLow(level)
    }
}

/// One update of one reader.
public struct ReaderUpdateRun: Sendable {
    private let source: any FirmwareSource
    private let reader: CardReader
    private let update: ReaderFirmwareUpdate
    private let commitment: DFUCommitment

    /// - Parameters:
    ///   - update: The update to install.
    ///   - reader: The reader. It must not be open.
    ///   - source: The source that found the reader.
    public init(_ update: ReaderFirmwareUpdate, of reader: CardReader, from source: any FirmwareSource) {
        (self.source, self.reader, self.update) = (source, reader, update)
        // A reader without firmware cannot go back.
        commitment = DFUCommitment(isCancellable: !reader.isAwaitingFirmware)
    }

    /// Cancels the update while that is possible; ``perform(onState:)`` returns when the reader works as before.
    ///
    /// - Returns: Whether the update is canceled.
    public func cancel() -> Bool { commitment.cancel() }

    /// Returns the charge of the reader's battery, 0...1; nil when it has none or does not report it.
    ///
    /// - Throws: ``UnderlyingError`` when the reader cannot be opened.
    public func batteryLevel() async throws(UnderlyingError) -> Double? {
        guard !reader.isAwaitingFirmware else { return nil }
        let session = try await source.open(reader)
        let level = await session.batteryLevel()
        await session.close()
        return level
    }

    /// Installs the update.
    ///
    /// - Parameter onState: Receives ``CardReaderSoftwareUpdateState/started(isCancellable:)``, then
    ///   ``CardReaderSoftwareUpdateState/installing(progress:)`` repeatedly, and at the end
    ///   ``CardReaderSoftwareUpdateState/completed`` or ``CardReaderSoftwareUpdateState/failed(_:)``.
    /// - Returns: The reader with the new firmware.
    /// - Throws: ``UnderlyingError``
    public func perform(
        onState: @escaping @Sendable (CardReaderSoftwareUpdateState) -> Void
    ) async throws(UnderlyingError) -> CardReader {
        onState(.started(isCancellable: commitment.isOpen))
        do throws(UnderlyingError) {
            let updated = try await source.install(update, on: reader, commitment: commitment) {
                onState(.installing(progress: $0))
            }
            onState(.completed)
            return updated
        } catch {
            onState(.failed(error))
            throw error
        }
    }
}

/// The estimated duration of an update.
public enum ReaderUpdateTimeEstimate: String, Hashable, Sendable, Codable, CaseIterable {
    case lessThanOneMinute, oneToTwoMinutes, twoToFiveMinutes, fiveToFifteenMinutes

    /// The bytes per second that a microcontroller's flash memory takes when it is erased and written over full-speed
    /// USB.
    private static let bytesASecond = 4096
    /// The time for both mode changes, and for the reader's checks at the end.
    private static let fixedSeconds = 15

    /// - Parameter fileSize: The size of the firmware, in bytes.
    init(fileSize: Int) {
        switch Self.fixedSeconds + max(0, fileSize) / Self.bytesASecond {
        case ..<60: self = .lessThanOneMinute
        case ..<120: self = .oneToTwoMinutes
        case ..<300: self = .twoToFiveMinutes
        default: self = .fiveToFifteenMinutes
        }
    }

    /// A human-readable text.
    public var text: String {
        switch self {
        case .lessThanOneMinute: "less than a minute"
        case .oneToTwoMinutes: "one to two minutes"
        case .twoToFiveMinutes: "two to five minutes"
        case .fiveToFifteenMinutes: "five to fifteen minutes"
        }
    }
}
