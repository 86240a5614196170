/// What came of looking for a magnetic stripe reader to go with a chip reader.
enum StripeSearch: Sendable {
    /// There is none.
    case nothing
    case opened(StripeReaderSession)
    /// There is one, and it cannot be used.
    case failed(UnderlyingError)
}
