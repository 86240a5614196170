internal import PCSC

extension UnderlyingError {
    /// What an error of pcscd, or of a reader behind it, means to a payment.
    init(_ error: PCSCError) {
        let text = error.description
        self =
            switch error {
            case .cancelled: .commandCancelled(from: .app)
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
