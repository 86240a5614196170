/// The state of a reader's firmware update.
public enum CardReaderSoftwareUpdateState: Hashable, Sendable {
    /// Nothing to install. The only state of a reader whose driver cannot update it.
    case none
    /// There is newer firmware, and the reader can be used without it, until a day that ``ReaderFirmwareUpdate/need`` may
    /// say.
    case available(ReaderFirmwareUpdate)
    /// The reader is being prepared. Nothing in it has changed.
    case started(isCancellable: Bool)
    /// The reader gets the firmware, 0...1. Nothing ends this but its end: the reader has none that runs.
    case installing(progress: Double)
    /// The reader works with the new firmware. Another state follows at once.
    case completed
    /// Another state follows at once: ``available(_:)`` when it can be tried again with the reader as it is.
    case failed(UnderlyingError)
}
