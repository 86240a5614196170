import CCID
import DFU
import EMV
import MagneticStripe
import PCSC
public import Payments
import SmartCard
import USB

/// The cause of a ``CardReaderServiceError``.
public enum UnderlyingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The origin of a cancellation.
    public enum CancellationSource: String, Hashable, Sendable {
        /// The program, for example because the attendant pressed Cancel.
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
    /// Another program or a kernel driver holds the reader; `remedy` says how to release it.
    case readerTaken(by: String, remedy: String)
    case featureNotAvailable(String)
    /// No card came before the deadline.
    case cardReadTimeOut
    /// The chip does not answer, or not like a payment card.
    case cardInsertNotRead(String)
    /// The magnetic stripe cannot be read, or is not that of a payment card.
    case cardSwipeNotRead(String)
    /// A card with a chip was swiped.
    case chipCardSwiped
    /// The kernel's data of a tapped card cannot be used.
    case cardTapNotRead(String)
    /// The card can't pay without contacts, and there is no other input.
    case tappedCardNeedsContacts
    case cardRemoved
    case cardLeftInReader
    case commandCanceled(from: CancellationSource)
    case paymentDeclinedByPaymentProcessorAPI(DeclineReason)
    /// The card or the terminal declined, without the host or despite its approval.
    case paymentDeclinedByCardReader(TerminalDeclineReason)
    case processorAPIError(String)
    case notConnectedToInternet(String)
    case requestTimedOut(String)
    /// The update failed after it began; the state of the reader's firmware is unknown.
    case readerSoftwareUpdateFailed(String)
    /// The battery level is too low, 0...1. Nothing was changed.
    case readerSoftwareUpdateFailedBatteryLow(Double)
    /// The reader was unplugged during the update. It is in update mode when it is plugged in again.
    case readerSoftwareUpdateFailedInterrupted(String)
    /// The reader rejects the firmware, or does not start it.
    case readerSoftwareUpdateFailedReader(String)
    /// The firmware file cannot be used. Nothing was changed.
    case readerSoftwareUpdateFailedServer(String)
    /// There is nothing to install.
    case noSoftwareUpdateAvailable
    /// No update is running, or it can no longer be canceled.
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
        case .cardTapNotRead(let detail): "the card cannot be read: \(detail)"
        case .tappedCardNeedsContacts: "the card cannot pay when it is tapped: insert the card"
        case .cardRemoved: "the card was taken out too early"
        case .cardLeftInReader: "a card is still in the reader"
        case .commandCanceled(.app): "canceled"
        case .commandCanceled(.reader): "canceled by the cardholder"
        case .paymentDeclinedByPaymentProcessorAPI(let reason): "declined: \(reason)"
        case .paymentDeclinedByCardReader(let reason): "declined: \(reason)"
        case .processorAPIError(let detail): "the payment host failed: \(detail)"
        case .notConnectedToInternet(let detail): detail
        case .requestTimedOut(let detail): detail
        case .readerSoftwareUpdateFailed(let detail): "the firmware update failed: \(detail)"
        case .readerSoftwareUpdateFailedBatteryLow(let level):
            "the battery level is \(Int(level * 100)) %, and an update needs "
                + "\(Int(ReaderFirmwareUpdate.leastBatteryLevel * 100)) %: charge the reader"
        case .readerSoftwareUpdateFailedInterrupted(let detail):
            "the firmware update was interrupted: \(detail); plug the reader in and connect it to finish the update"
        case .readerSoftwareUpdateFailedReader(let detail): "the firmware update failed: \(detail)"
        case .readerSoftwareUpdateFailedServer(let detail): "cannot use the firmware: \(detail)"
        case .noSoftwareUpdateAvailable: "there is no newer firmware for the reader"
        case .softwareUpdateNotCancellable: "no firmware update is running that can be canceled"
        case .noActivePaymentIntent: "no payment is running"
        case .noRefundInProgress: "no refund is running"
        case .invalidAmount(let detail): "invalid amount: \(detail)"
        case .invalidCurrency(let detail): "invalid currency: \(detail)"
        case .internalServiceError(let detail): "internal error: \(detail)"
        }
    }
}

extension UnderlyingError {
    /// Creates the error from an error of the firmware installer.
    init(_ error: DFUError) {
        let text = error.description
        self =
            switch error {
            case .canceled: .commandCanceled(from: .app)
            case .unplugged: .readerSoftwareUpdateFailedInterrupted(text)
            case .usb(.accessDenied): .readerAccessDenied(text)
            case .usb(.busy): .readerBusy(text)
            case .wrongDevice: .readerSoftwareUpdateFailedServer(text)
            case .notSupported, .malformedStatus, .unexpectedState, .refused, .noEnd, .noUpdateMode, .noReturn:
                .readerSoftwareUpdateFailedReader(text)
            case .usb: .readerSoftwareUpdateFailed(text)
            }
    }
}

extension UnderlyingError {
    /// Creates the error from an error of pcscd, or of a reader behind it.
    init(_ error: PCSCError) {
        let text = error.description
        self =
            switch error {
            case .canceled: .commandCanceled(from: .app)
            case .libraryMissing, .failed(_, .noService): .featureNotAvailable(text)
            case .failed(_, .securityViolation): .readerAccessDenied(text)
            case .heldByAnother, .failed(_, .sharingViolation): .readerBusy(text)
            case .noSuchReader: .readerNotFound(text)
            case .failed(_, .unknownReader), .failed(_, .readerUnavailable): .readerDisconnected
            case .closed: .notConnectedToReader
            case .cardAbsent, .failed(_, .noSmartCard), .failed(_, .removedCard): .cardRemoved
            case .answerToReset, .noCommonProtocol, .t0, .response, .failed(_, .resetCard),
                .failed(_, .unresponsiveCard), .failed(_, .unpoweredCard), .failed(_, .unsupportedCard),
                .failed(_, .protocolMismatch), .failed(_, .notTransacted), .failed(_, .communicationDataLost):
                .cardInsertNotRead(text)
            case .failed, .timedOut, .malformedAnswer: .readerCommunicationError(text)
            }
    }
}

extension UnderlyingError {
    /// Whether the reader may have failed, rather than the card or a person's action.
    var isOfReader: Bool {
        switch self {
        case .readerDisconnected, .readerCommunicationError, .notConnectedToReader, .cardInsertNotRead: true
        default: false
        }
    }

    /// Creates the error from an error of the kernel.
    init(_ error: KernelError) {
        let text = error.description
        self =
            switch error {
            case .channel(.cardRemoved): .cardRemoved
            case .cardBlocked: .paymentDeclinedByCardReader(.cardBlocked)
            case .applicationBlocked: .paymentDeclinedByCardReader(.applicationBlocked)
            case .channel(.canceled): .commandCanceled(from: .app)
            case .channel(.readerUnavailable): .readerCommunicationError(text)
            case .request: .invalidAmount(text)
            case .cryptography: .internalServiceError(text)
            default: .cardInsertNotRead(text)
            }
    }
}

extension UnderlyingError {
    /// Creates the error from an error of the driver.
    init(_ error: CCIDError) {
        let text = error.description
        self =
            switch error {
            case .canceled: .commandCanceled(from: .app)
            case .readerGone, .usb(.disconnected): .readerDisconnected
            case .closed: .notConnectedToReader
            case .cardAbsent, .cardNotPowered: .cardRemoved
            case .cardMute, .answerToReset, .noCommonProtocol, .protocolSelectionRefused, .t0, .t1, .response,
                .hardwareFault, .failed(.powerOn, _):
                .cardInsertNotRead(text)
            case .usb(.busy): .readerBusy(text)
            case .usb(.accessDenied): .readerAccessDenied(text)
            case .usb(.notFound): .readerNotFound(text)
            case .descriptor, .extendedLengthNotSupported, .noSuchSlot: .readerIncompatible(text)
            case .firmwareRefused:
                .readerIncompatible(text + "; set readers.allowRefusedFirmware in the configuration to use it anyway")
            case .readerDead, .suspended, .usb, .timedOut, .message, .unexpectedAnswer, .wrongSlot, .wrongSequence,
                .answeredTwice, .noEnd, .failed, .brokenChain:
                .readerCommunicationError(text)
            }
    }
}

extension UnderlyingError {
    /// Creates the error of a reader that could not be opened, with the holder of the device if known, and with the
    /// users who may open it if this user may not.
    init(_ error: CCIDError, status: USBDeviceStatus?, owners: [USBDeviceOwner]) {
        switch (error, owners.first) {
        case (.usb(.busy), let owner?): self = .readerTaken(by: owner.description, remedy: owner.remedy)
        case (.usb(.accessDenied), let owner):
            let allowed = status?.group.map { "root and the group \($0)" } ?? "root"
            let holder = owner.map { ", and \($0) works with it" } ?? ""
            self = .readerAccessDenied("only \(allowed) may open the reader\(holder)")
        default: self.init(error)
        }
    }
}

extension UnderlyingError {
    /// Creates the error from an error of a magnetic stripe reader.
    init(_ error: MagneticStripeReaderError) {
        let text = error.description
        self =
            switch error {
            case .canceled: .commandCanceled(from: .app)
            case .readerGone: .readerDisconnected
            case .closed: .notConnectedToReader
            case .busy, .hid(.usb(.busy)): .readerBusy(text)
            case .hid(.usb(.accessDenied)), .hid(.accessDenied): .readerAccessDenied(text)
            case .hid(.usb(.notFound)), .hid(.noNode): .readerNotFound(text)
            case .noReader, .notSupported, .keyboardThroughKernel, .hid(.noInterface), .hid(.descriptor):
                .readerIncompatible(text)
            case .hid: .readerCommunicationError(text)
            }
    }
}
