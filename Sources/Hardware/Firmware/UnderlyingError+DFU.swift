internal import DFU
internal import USB

extension UnderlyingError {
    /// What an error of the installer means to a shop.
    init(_ error: DFUError) {
        let text = error.description
        self =
            switch error {
            case .cancelled: .commandCancelled(from: .app)
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
