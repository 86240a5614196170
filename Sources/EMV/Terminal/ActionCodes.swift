/// Which findings decide, three masks over the TVR: the payment system's terminal action codes or the
/// issuer's action codes (EMV Book 3 §10.7).
public struct ActionCodes: Hashable, Sendable {
    /// Any common bit: decline.
    public var denial: TerminalVerificationResults
    /// Any common bit: ask the issuer.
    public var online: TerminalVerificationResults
    /// Any common bit, and the issuer cannot be asked: decline.
    public var `default`: TerminalVerificationResults

    public init(
        denial: TerminalVerificationResults, online: TerminalVerificationResults,
        default: TerminalVerificationResults
    ) {
        (self.denial, self.online, self.default) = (denial, online, `default`)
    }

    /// The three codes as numbers of ten hexadecimal digits.
    init(_ denial: UInt64, _ online: UInt64, _ default: UInt64) {
        self.init(
            denial: TerminalVerificationResults(rawValue: denial),
            online: TerminalVerificationResults(rawValue: online),
            default: TerminalVerificationResults(rawValue: `default`))
    }
}
