internal import CCID
internal import EMV
internal import SmartCard
internal import USB

extension UnderlyingError {
    /// What an error of the driver means to a payment.
    init(_ error: CCIDError) {
        let text = error.description
        self =
            switch error {
            case .cancelled: .commandCancelled(from: .app)
            case .readerGone, .usb(.disconnected): .readerDisconnected
            case .closed: .notConnectedToReader
            case .cardAbsent, .cardNotPowered: .cardRemoved
            case .cardMute, .answerToReset, .noCommonProtocol, .protocolSelectionRefused, .t0, .t1, .response,
                .hardwareFault, .failed(.powerOn, _):
                .cardInsertNotRead(text)
            case .usb(.busy): .readerBusy(text)
            case .usb(.accessDenied): .readerAccessDenied(text)
            case .usb(.notFound): .readerNotFound(text)
            case .descriptor, .exchangeLevelNotSupported, .extendedLengthNotSupported, .noSuchSlot:
                .readerIncompatible(text)
            case .usb, .timedOut, .message, .unexpectedAnswer, .wrongSlot, .wrongSequence, .noEnd, .failed,
                .brokenChain:
                .readerCommunicationError(text)
            }
    }

    /// Whether it may be the reader that failed, rather than the card or the people.
    var isOfReader: Bool {
        switch self {
        case .readerDisconnected, .readerCommunicationError, .notConnectedToReader, .cardInsertNotRead: true
        default: false
        }
    }

    /// What an error of the kernel means to a payment.
    init(_ error: KernelError) {
        let text = error.description
        self =
            switch error {
            case .channel(.cardRemoved): .cardRemoved
            case .cardBlocked, .applicationBlocked: .paymentDeclinedByCardReader(text)
            case .channel(.cancelled): .commandCancelled(from: .app)
            case .channel(.readerUnavailable): .readerCommunicationError(text)
            case .request: .invalidAmount(text)
            case .cryptography: .internalServiceError(text)
            default: .cardInsertNotRead(text)
            }
    }
}
