internal import CCID
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
            case .descriptor, .extendedLengthNotSupported, .noSuchSlot: .readerIncompatible(text)
            case .firmwareRefused:
                .readerIncompatible(text + "; readers.allowRefusedFirmware in the configuration uses it all the same")
            case .readerDead, .suspended, .usb, .timedOut, .message, .unexpectedAnswer, .wrongSlot, .wrongSequence,
                .noEnd, .failed,
                .brokenChain:
                .readerCommunicationError(text)
            }
    }
}
