/// Why a T=0 exchange failed.
public enum T0Error: Error, Hashable, Sendable {
    case extendedLengthNotSupported
    case answerTooShort(Int)
    case answerTooLong(expected: Int, actual: Int)
    case invalidProcedureByte(UInt8)
    case tooManyExchanges
}
