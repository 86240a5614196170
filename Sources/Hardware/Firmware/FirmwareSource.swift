public import DFU

/// A source whose readers take firmware.
public protocol FirmwareSource: CardReaderSource {
    /// What a reader could have instead of the firmware that it has, or needs because it has none; nil when there is
    /// nothing newer.
    func update(for reader: CardReader) async -> ReaderFirmwareUpdate?

    /// Installs firmware. Nobody may have the reader open.
    ///
    /// - Parameters:
    ///   - update: what ``update(for:)`` gave for the reader.
    ///   - reader: as it was found.
    ///   - commitment: through which the update can be cancelled, as long as it can.
    ///   - onProgress: how much of the firmware the reader has, 0...1; from the first call on, with 0, nothing ends the
    ///     update but its end.
    /// - Returns: the reader with the new firmware.
    /// - Throws: ``UnderlyingError``: why the update failed, or that it was cancelled and nothing has changed.
    func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, commitment: DFUCommitment,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws(UnderlyingError) -> CardReader
}
