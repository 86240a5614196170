public import Hardware

extension CardReaderServiceError {
    /// The word for programs under which a payment that fails so is recorded, for example `card_timeout`.
    public var code: String { PaymentFailure(self).code }
}
