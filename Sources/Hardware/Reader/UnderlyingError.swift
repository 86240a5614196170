/// The cause of a ``CardReaderServiceError``.
public enum UnderlyingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who ended a command.
    public enum CancellationSource: String, Hashable, Sendable {
        /// The program, for example because the attendant pressed cancel.
        case app
        /// The cardholder, at the reader.
        case reader
    }

    case notConnectedToReader
    case alreadyConnectedToReader
    case readerBusy(String)
    case readerNotFound(String)
    case readerAccessDenied(String)
    case readerIncompatible(String)
    case readerCommunicationError(String)
    case readerDisconnected
    /// The reader was lost and is not back yet.
    case readerReconnecting
    /// Another program or a driver of the kernel holds the reader; `remedy` is what makes it let go.
    case readerTaken(by: String, remedy: String)
    case featureNotAvailable(String)
    /// No card came before the deadline.
    case cardReadTimeOut
    /// The chip does not answer, or not as a payment card does.
    case cardInsertNotRead(String)
    /// The magnetic stripe cannot be read, or not as a payment card's.
    case cardSwipeNotRead(String)
    /// A card with a chip was swiped.
    case chipCardSwiped
    case cardRemoved
    case cardLeftInReader
    case commandCancelled(from: CancellationSource)
    case paymentDeclinedByPaymentProcessorAPI(DeclineReason)
    /// The card or the terminal declined, without or against the host.
    case paymentDeclinedByCardReader(String)
    case processorAPIError(String)
    case notConnectedToInternet(String)
    case requestTimedOut(String)
    /// The update was begun and did not come to its end; what is in the reader is not known.
    case readerSoftwareUpdateFailed(String)
    /// The battery might not last; its level, 0...1. Nothing was begun.
    case readerSoftwareUpdateFailedBatteryLow(Double)
    /// The reader was unplugged while it got the firmware. It waits for firmware when it is plugged in again.
    case readerSoftwareUpdateFailedInterrupted(String)
    /// The reader does not take the firmware, or does not run it.
    case readerSoftwareUpdateFailedReader(String)
    /// The firmware could not be had from where it comes. Nothing was begun.
    case readerSoftwareUpdateFailedServer(String)
    /// The reader has nothing to install.
    case noSoftwareUpdateAvailable
    /// No update runs, or it has come so far that it has to be finished.
    case softwareUpdateNotCancellable
    case noActivePaymentIntent
    case noRefundInProgress
    case invalidAmount(String)
    case invalidCurrency(String)
    case internalServiceError(String)

    public var description: String {
        switch self {
        case .notConnectedToReader: "no reader is connected"
        case .alreadyConnectedToReader: "a reader is connected already"
        case .readerBusy(let detail): "the reader is busy: \(detail)"
        case .readerNotFound(let detail): "no reader found: \(detail)"
        case .readerAccessDenied(let detail): detail
        case .readerIncompatible(let detail): "this reader cannot be used: \(detail)"
        case .readerCommunicationError(let detail): "the reader does not answer as it should: \(detail)"
        case .readerDisconnected: "the reader was unplugged"
        case .readerReconnecting: "the reader was lost and is not back yet"
        case .readerTaken(let owner, let remedy): "\(owner) holds the reader: \(remedy)"
        case .featureNotAvailable(let detail): detail
        case .cardReadTimeOut: "no card was presented in time"
        case .cardInsertNotRead(let detail): "the card cannot be read: \(detail)"
        case .cardSwipeNotRead(let detail): detail
        case .chipCardSwiped: "the card has a chip: insert it"
        case .cardRemoved: "the card was taken out too early"
        case .cardLeftInReader: "a card is still in the reader"
        case .commandCancelled(.app): "cancelled"
        case .commandCancelled(.reader): "cancelled by the cardholder"
        case .paymentDeclinedByPaymentProcessorAPI(let reason): "declined: \(reason)"
        case .paymentDeclinedByCardReader(let detail): "declined: \(detail)"
        case .processorAPIError(let detail): "the payment host failed: \(detail)"
        case .notConnectedToInternet(let detail): detail
        case .requestTimedOut(let detail): detail
        case .readerSoftwareUpdateFailed(let detail): "the firmware update failed: \(detail)"
        case .readerSoftwareUpdateFailedBatteryLow(let level):
            "the battery has \(Int(level * 100)) percent, and an update needs "
                + "\(Int(ReaderFirmwareUpdate.leastBatteryLevel * 100)): charge the reader"
        case .readerSoftwareUpdateFailedInterrupted(let detail):
            "the firmware update was interrupted: \(detail); plug the reader in and connect it to finish the update"
        case .readerSoftwareUpdateFailedReader(let detail): "the firmware update failed: \(detail)"
        case .readerSoftwareUpdateFailedServer(let detail): "the firmware cannot be used: \(detail)"
        case .noSoftwareUpdateAvailable: "there is no newer firmware for the reader"
        case .softwareUpdateNotCancellable: "no firmware update runs that could be cancelled"
        case .noActivePaymentIntent: "no payment is running"
        case .noRefundInProgress: "no refund is running"
        case .invalidAmount(let detail): "invalid amount: \(detail)"
        case .invalidCurrency(let detail): "invalid currency: \(detail)"
        case .internalServiceError(let detail): "internal error: \(detail)"
        }
    }
}
