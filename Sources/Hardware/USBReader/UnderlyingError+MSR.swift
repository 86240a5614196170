internal import HID
internal import MSR
internal import USB

extension UnderlyingError {
    /// What an error of a magnetic stripe reader means to a payment.
    init(_ error: MSRError) {
        let text = error.description
        self =
            switch error {
            case .cancelled: .commandCancelled(from: .app)
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
