internal import DFU

/// One update of one reader, from its beginning to its end.
public struct ReaderUpdateRun: Sendable {
    private let source: any FirmwareSource
    private let reader: CardReader
    private let update: ReaderFirmwareUpdate
    private let commitment: DFUCommitment

    /// - Parameters:
    ///   - update: what the reader is to have.
    ///   - reader: it. Nobody has it open.
    ///   - source: where it was found.
    public init(_ update: ReaderFirmwareUpdate, of reader: CardReader, from source: any FirmwareSource) {
        (self.source, self.reader, self.update) = (source, reader, update)
        // One that has no firmware can only go on.
        commitment = DFUCommitment(isCancellable: !reader.isAwaitingFirmware)
    }

    /// Ends the update, if it still may be ended; ``perform(onState:)`` returns when the reader works as before.
    ///
    /// - Returns: whether it may.
    public func cancel() -> Bool { commitment.cancel() }

    /// The charge of the reader's battery, 0...1; nil when it has none, or cannot say so now.
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
    /// - Parameter onState: gets ``CardReaderSoftwareUpdateState/started(isCancellable:)``, then
    ///   ``CardReaderSoftwareUpdateState/installing(progress:)`` again and again, and at the end
    ///   ``CardReaderSoftwareUpdateState/completed`` or ``CardReaderSoftwareUpdateState/failed(_:)``.
    /// - Returns: the reader with the new firmware.
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
