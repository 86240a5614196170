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
                .answeredTwice, .noEnd, .failed, .brokenChain:
                .readerCommunicationError(text)
            }
    }
}

extension UnderlyingError {
    /// What it means that a reader could not be opened. Who holds it is named where that is known, and who may open it
    /// when this user may not.
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
